// SPDX-License-Identifier: LGPL-2.1-or-later
#include "common/opencl/trial_launch.h"

#include "common/error.h"
#include "common/opencl/cache.h"
#include "common/opencl/helper.h"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <string_view>
#include <vector>

namespace vigil {
namespace {

constexpr const char *launched_extension = "launched";
constexpr double longest_launch = 60; // seconds; a launch that takes longer says nothing, and counts as tried

// Signals that show a defect. An integer division by a zero of the trial's own memory does not, nor does
// somebody who ends the helper.
bool is_break_down(int signal) {
  return signal == SIGABRT || signal == SIGSEGV || signal == SIGBUS || signal == SIGILL || signal == SIGTRAP;
}

template <class T>
T info_of(cl_mem memory, cl_uint what, decltype(clGetMemObjectInfo) get) {
  T v{};
  cl_check(get(memory, what, sizeof v, &v, nullptr), "asking for memory of OpenCL");
  return v;
}

std::string describe_memory(cl_mem m) {
  if (!m) return "none";
  if (info_of<cl_mem_object_type>(m, CL_MEM_TYPE, clGetMemObjectInfo) == CL_MEM_OBJECT_BUFFER)
    return text("buffer:", info_of<std::size_t>(m, CL_MEM_SIZE, clGetMemObjectInfo));
  const auto format = info_of<cl_image_format>(m, CL_IMAGE_FORMAT, clGetImageInfo);
  return text("image:", format.image_channel_order, ":", format.image_channel_data_type, ":",
              info_of<std::size_t>(m, CL_IMAGE_WIDTH, clGetImageInfo), ":",
              info_of<std::size_t>(m, CL_IMAGE_HEIGHT, clGetImageInfo));
}

// Memory of zeros.
ClMemHandle make_memory(const ClDevice &d, ClQueue &queue, const char *description) {
  cl_int code = CL_SUCCESS;
  std::size_t bytes = 0, size[3] = {0, 0, 1};
  cl_image_format format{};
  if (std::sscanf(description, "buffer:%zu", &bytes) == 1) {
    ClMemHandle m(clCreateBuffer(d.context(), CL_MEM_READ_WRITE, bytes, nullptr, &code));
    cl_check(code, "making a buffer");
    const cl_uchar zero = 0;
    cl_check(clEnqueueFillBuffer(queue.get(), m.get(), &zero, 1, 0, bytes, 0, nullptr, nullptr), "a buffer");
    return m;
  }
  if (std::sscanf(description, "image:%u:%u:%zu:%zu", &format.image_channel_order,
                  &format.image_channel_data_type, &size[0], &size[1]) != 4)
    fail(Error::Kind::bad_setting, description, " is no argument of a kernel");
  cl_image_desc shape{};
  shape.image_type = CL_MEM_OBJECT_IMAGE2D;
  shape.image_width = size[0];
  shape.image_height = size[1];
  ClMemHandle m(clCreateImage(d.context(), CL_MEM_READ_WRITE, &format, &shape, nullptr, &code));
  cl_check(code, "making an image");
  const std::array<cl_uint, 4> zeros{}; // float, int and unsigned alike
  const std::size_t origin[3] = {};
  cl_check(clEnqueueFillImage(queue.get(), m.get(), zeros.data(), origin, size, 0, nullptr, nullptr),
           "an image");
  return m;
}

std::vector<unsigned char> bytes_of(std::string_view hexadecimal) {
  std::vector<unsigned char> bytes;
  for (; hexadecimal.size() >= 2; hexadecimal.remove_prefix(2))
    bytes.push_back(
        static_cast<unsigned char>(std::stoul(std::string(hexadecimal.substr(0, 2)), nullptr, 16)));
  return bytes;
}

} // namespace

ClLaunchArgument::ClLaunchArgument(Kind kind, std::size_t bytes, const void *value)
    : kind_(kind), bytes_(bytes) {
  if (value) std::memcpy(value_.data(), value, std::min(bytes, value_.size()));
}

std::string ClLaunchArgument::description() const {
  if (kind_ == Kind::local) return text("local:", bytes_);
  if (kind_ == Kind::memory) {
    cl_mem m = nullptr;
    std::memcpy(&m, value_.data(), sizeof m);
    return describe_memory(m);
  }
  std::string s = "value:";
  char two[3];
  for (std::size_t i = 0; i < std::min(bytes_, value_.size()); i++) {
    std::snprintf(two, sizeof two, "%02x", value_[i]);
    s += two;
  }
  return s;
}

std::shared_ptr<const ClLaunchTrial> ClLaunchTrial::of(const ClDevice &d, const std::string &program,
                                                       const std::string &source,
                                                       const std::string &options) {
  if (!d.is_cpu()) return {};
  auto t = std::make_shared<ClLaunchTrial>();
  t->helper_ = find_own_file(cl_build_helper);
  const auto number = number_of(d);
  if (t->helper_.empty() || !number) return {};
  t->device_number_ = std::to_string(*number);
  t->device_name_ = d.name();
  t->program_ = program;
  t->source_ = source;
  t->options_ = options;
  t->key_ = text(d.device_name(), "\n", d.text_info(CL_DEVICE_VERSION), "\n", d.driver_version(), "\n",
                 options, "\n", source);
  return t;
}

void ClLaunchTrial::launch(const std::string &kernel, ClRange2 global, ClRange2 local,
                           std::span<const ClLaunchArgument> set) const {
  const FileCache cache(cache_directory("opencl"));
  const std::string key = text(kernel, " ", local.x, "x", local.y, "\n", key_);
  if (cache.read(key, launched_extension)) return;
  std::vector<std::string> arguments{device_number_, options_, kernel};
  for (const std::size_t n : {global.x, global.y, local.x, local.y}) arguments.push_back(std::to_string(n));
  for (const ClLaunchArgument &a : set) arguments.push_back(a.description());
  const HelperResult r = run_helper(helper_, arguments, source_, longest_launch);
  const bool left = r.ran && r.signal == 0 && r.status == 0 && !r.words.ends_with(launched);
  if (is_break_down(r.signal) || left)
    fail(Error::Kind::device, "the OpenCL driver of ", device_name_,
         " broke down when it started the kernel ", kernel, " of ", program_, " (",
         left ? text("it ended the process with status ", r.status)
              : text("signal ", r.signal, ", ", strsignal(r.signal)),
         "). Use another device (property device) or another version of the driver. Its last words:\n",
         r.words);
  if (r.ran) cache.write(key, launched_extension, "1");
}

void launch_alone(ClDevice &d, cl_kernel kernel, ClRange2 global, ClRange2 local,
                  std::span<char *const> descriptions) {
  ClQueue queue(d);
  std::vector<ClMemHandle> memory;
  for (cl_uint i = 0; i < descriptions.size(); i++) {
    const std::string_view what = descriptions[i];
    std::size_t bytes = 0;
    cl_int code = CL_SUCCESS;
    if (std::sscanf(descriptions[i], "local:%zu", &bytes) == 1)
      code = clSetKernelArg(kernel, i, bytes, nullptr);
    else if (what.starts_with("value:")) {
      const auto value = bytes_of(what.substr(6));
      code = clSetKernelArg(kernel, i, value.size(), value.data());
    } else {
      memory.push_back(what == "none" ? ClMemHandle() : make_memory(d, queue, descriptions[i]));
      const cl_mem m = memory.back().get();
      code = clSetKernelArg(kernel, i, sizeof m, &m);
    }
    cl_check(code, descriptions[i]);
  }
  const std::size_t g[] = {global.x, global.y}, l[] = {local.x, local.y};
  cl_check(clEnqueueNDRangeKernel(queue.get(), kernel, 2, nullptr, g,
                                  local.x > 0 && local.y > 0 ? l : nullptr, 0, nullptr, nullptr),
           "launching a kernel");
  queue.wait();
}

} // namespace vigil
