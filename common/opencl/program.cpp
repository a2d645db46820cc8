// SPDX-License-Identifier: LGPL-2.1-or-later
#include "common/opencl/program.h"

#include "common/error.h"
#include "common/opencl/build_log.h"
#include "common/opencl/cache.h"
#include "common/opencl/helper.h"
#include "common/opencl/program_lock.h"

#include <chrono>
#include <cstring>
#include <optional>
#include <thread>

namespace vigil {
namespace {

constexpr const char *binary_extension = "clbin";
constexpr const char *tried_extension = "tried";
constexpr double longest_build = 24 * 3600; // seconds: a compiler is slow, but comes to an end

std::string joined(std::initializer_list<ClSource> files) {
  std::string s;
  for (const ClSource &f : files) s += text("#line 1 \"", f.path, "\"\n", f.text, "\n");
  return s;
}

std::string log_of(cl_program program, cl_device_id device) {
  std::size_t bytes = 0;
  if (clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, 0, nullptr, &bytes) != CL_SUCCESS ||
      bytes == 0)
    return {};
  std::string s(bytes, '\0');
  clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, bytes, s.data(), nullptr);
  return s.substr(0, s.find('\0'));
}

// The program from a binary, or nothing when the driver does not take it.
ClProgramHandle from_binary(const ClDevice &d, const std::string &binary, const std::string &options) {
  const auto *bytes = reinterpret_cast<const unsigned char *>(binary.data());
  const std::size_t length = binary.size();
  const cl_device_id id = d.id();
  cl_int status = CL_SUCCESS, code = CL_SUCCESS;
  ClProgramHandle p(clCreateProgramWithBinary(d.context(), 1, &id, &length, &bytes, &status, &code));
  if (code != CL_SUCCESS || status != CL_SUCCESS) return {};
  if (clBuildProgram(p.get(), 1, &id, options.c_str(), nullptr, nullptr) != CL_SUCCESS) return {};
  return p;
}

std::string binary_of(cl_program program) {
  std::size_t length = 0;
  if (clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof length, &length, nullptr) != CL_SUCCESS)
    return {};
  std::string binary(length, '\0');
  auto *bytes = reinterpret_cast<unsigned char *>(binary.data());
  if (length == 0 ||
      clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof bytes, &bytes, nullptr) != CL_SUCCESS)
    return {};
  return binary;
}

// A first build in another process. Some compilers of OpenCL drivers do not report what they cannot do, but
// end the process (LLVM's "report_fatal_error"): PoCL 6 with LLVM 19 did it for a kernel of ours. Before a
// source is compiled for the first time for a device and driver, a helper program (vigil-cl-build) compiles
// it: if that is ended, the element has an error, and the program that it runs in goes on.
//
// Throws Error::device, with the compiler's last words, when it ended the helper. True when the helper ran,
// whose program may be in the cache of programs then: also when the helper reports an error, which the build
// in this process will report better. False when there is no helper, as in programs that are linked
// statically. Once for each source, device and driver, as the cache of programs remembers; the options of a
// first build stand for those of later ones.
bool try_build_elsewhere(const ClDevice &d, const std::string &name, const std::string &source,
                         const std::string &options) {
  const FileCache cache(cache_directory("opencl"));
  const std::string key =
      text(d.device_name(), "\n", d.text_info(CL_DEVICE_VERSION), "\n", d.driver_version(), "\n", source);
  if (cache.read(key, tried_extension)) return false;
  const std::string path = find_own_file(cl_build_helper);
  const std::optional<std::size_t> number = number_of(d);
  if (path.empty() || !number) return false;
  const std::string arguments[] = {std::to_string(*number), options};
  const HelperResult r = run_helper(path, arguments, source, longest_build);
  if (r.signal != 0)
    fail(Error::Kind::device, "the OpenCL compiler of ", d.name(), " broke down while it compiled ", name,
         options.empty() ? "" : " with ", options, " (signal ", r.signal, ", ", strsignal(r.signal),
         "). Use another device (property device) or another version of the driver. Its last words:\n",
         r.words);
  cache.write(key, tried_extension, "1");
  return true;
}

} // namespace

ClProgram::ClProgram(const ClDevice &d, std::initializer_list<ClSource> files, const std::string &options) {
  build(d, files.size() > 0 ? (files.end() - 1)->path : "an empty program", joined(files), options);
}
ClProgram::ClProgram(const ClDevice &d, const std::string &name, const std::string &source,
                     const std::string &options) {
  build(d, name, source, options);
}

void ClProgram::build(const ClDevice &d, const std::string &name, const std::string &source,
                      const std::string &options) {
  device_ = d.id();
  trial_ = ClLaunchTrial::of(d, name, source, options);
  const std::string all_options = "-cl-std=CL1.2 " + options;
  key_ = text(d.device_name(), "\n", d.text_info(CL_DEVICE_VERSION), "\n", d.driver_version(), "\n",
              all_options, "\n", source);
  const std::string folder = cache_directory("opencl");
  const FileCache cache(folder);
  const ProgramLock lock(folder.empty() ? folder : folder + ".lock", key_);
  const auto take_from_cache = [&] {
    if (const auto binary = cache.read(key_, binary_extension))
      program_ = from_binary(d, *binary, all_options);
    return from_cache_ = static_cast<bool>(program_);
  };
  if (take_from_cache() || (try_build_elsewhere(d, name, source, options) && take_from_cache())) return;

  const char *start = source.c_str();
  for (int attempt = 1;; attempt++) {
    cl_int code = CL_SUCCESS;
    program_ = ClProgramHandle(clCreateProgramWithSource(d.context(), 1, &start, nullptr, &code));
    cl_check(code, "making an OpenCL program");
    code = clBuildProgram(program_.get(), 1, &device_, all_options.c_str(), nullptr, nullptr);
    if (code == CL_SUCCESS) break;
    const std::string log = log_of(program_.get(), device_);
    // An error in the source is named in the log. Without one it may be PoCL's (3.1), whose processes disturb
    // each other in its cache when several compile the same program for the first time: a moment later all of
    // it is there.
    if (attempt == 4 || log.find("error") != std::string::npos)
      fail(Error::Kind::device, name, " does not compile for ", d.name(), " with ", all_options, " (",
           cl_error_name(code), "):\n", with_places(log, source));
    std::this_thread::sleep_for(std::chrono::milliseconds(100 * attempt));
  }
  const std::string binary = binary_of(program_.get());
  if (!binary.empty()) cache.write(key_, binary_extension, binary);
}

ClKernel ClProgram::kernel(const char *name) const {
  return {program_.get(), name, device_, trial_};
}

ClKernel::ClKernel(cl_program program, const char *name, cl_device_id device,
                   std::shared_ptr<const ClLaunchTrial> trial)
    : name_(name), device_(device), trial_(std::move(trial)) {
  cl_int code = CL_SUCCESS;
  kernel_ = ClKernelHandle(clCreateKernel(program, name, &code));
  cl_check(code, text("kernel ", name).c_str());
  cl_check(clGetKernelInfo(kernel_.get(), CL_KERNEL_NUM_ARGS, sizeof arguments_, &arguments_, nullptr), name);
  if (trial_) set_.resize(arguments_);
}
void ClKernel::launch_alone(ClDevice &d, ClRange2 global, ClRange2 local,
                            std::span<char *const> descriptions) const {
  vigil::launch_alone(d, kernel_.get(), global, local, descriptions);
}
std::size_t ClKernel::largest_group() const {
  std::size_t n = 0;
  cl_check(clGetKernelWorkGroupInfo(kernel_.get(), device_, CL_KERNEL_WORK_GROUP_SIZE, sizeof n, &n, nullptr),
           name_.c_str());
  return n;
}
void ClKernel::expect_arguments(std::size_t count) const {
  if (count != arguments_)
    fail(Error::Kind::device, "kernel ", name_, " takes ", arguments_, " arguments, not ", count);
}
void ClKernel::set_bytes(cl_uint i, std::size_t bytes, const void *value, ClLaunchArgument::Kind kind) {
  const cl_int code = clSetKernelArg(kernel_.get(), i, bytes, value);
  if (code != CL_SUCCESS)
    fail(Error::Kind::device, "argument ", i, " of kernel ", name_, " (", bytes,
         " bytes): ", cl_error_name(code));
  if (trial_) set_[i] = {kind, bytes, value};
}
void ClKernel::submit(ClQueue &queue, ClEventHandle *event, ClRange2 global, ClRange2 local) {
  const bool chosen = local.x > 0 && local.y > 0;
  const auto whole = [&](std::size_t n, std::size_t group) {
    return chosen ? (n + group - 1) / group * group : n;
  };
  if (trial_ && tried_with_ != local) {
    trial_->launch(name_, {whole(global.x, local.x), whole(global.y, local.y)}, local, set_);
    tried_with_ = local;
  }
  const std::size_t g[] = {whole(global.x, local.x), whole(global.y, local.y)}, l[] = {local.x, local.y};
  queue.submit(
      name_.c_str(),
      [&](cl_event *e) {
        return clEnqueueNDRangeKernel(queue.get(), kernel_.get(), 2, nullptr, g, chosen ? l : nullptr, 0,
                                      nullptr, e);
      },
      event);
}

} // namespace vigil
