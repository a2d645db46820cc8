// SPDX-License-Identifier: LGPL-2.1-or-later
// A driver that ends the process which launches a kernel (broken_kernel_layer.cpp plays it): the launch is an
// error, once it was tried in another process, and what survives the trial runs. Exit status: 0 passed, 1
// failed, 77 skipped (no OpenCL device that is a processor).
#include "common/error.h"
#include "common/opencl/program.h"
#include "tests/unit.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <unistd.h>

namespace {

using namespace vigil;
namespace fs = std::filesystem;
using test::expect;

bool has(const std::string &s, const char *part) {
  return s.find(part) != std::string::npos;
}

// Arguments of all kinds but pictures.
constexpr const char *source = R"(
kernel void first(global int *p, local int *l, int2 n, float f, global int *none) {
  l[get_local_id(0)] = n.x;
  barrier(CLK_LOCAL_MEM_FENCE);
  p[get_global_id(0)] = l[0] + n.y + (int)f + (none ? 100 : 0);
}
kernel void second(global int *p) { p[get_global_id(0)] = 7; }
)";
// By itself: PoCL 7.1 says that it has pictures, but does not compile what reads them.
constexpr const char *picture_source =
    "kernel void picture(global int *p, read_only image2d_t i) { p[0] = get_image_width(i); }";
constexpr int items = 8;

class Kernels {
 public:
  explicit Kernels(ClDevice &d)
      : device_(d), program_(d, "kernels.cl", source, "-D SOMETHING=1"), memory_(d, items * sizeof(int)),
        queue_(d) {}
  int first() {
    program_.kernel("first").launch(queue_, {items, 1}, {4, 1}, here(), ClLocal{4 * sizeof(int)},
                                    cl_int2{{2, 3}}, 4.f, cl_mem{});
    return result();
  }
  int second() {
    program_.kernel("second").launch(queue_, {items, 1}, {0, 0}, here());
    return result();
  }
  int picture() {
    const cl_image_format format{CL_RGBA, CL_UNORM_INT8};
    cl_image_desc shape{};
    shape.image_type = CL_MEM_OBJECT_IMAGE2D;
    shape.image_width = 9;
    shape.image_height = 2;
    const ClMemHandle image(
        clCreateImage(device_.context(), CL_MEM_READ_ONLY, &format, &shape, nullptr, nullptr));
    ClProgram(device_, "picture.cl", picture_source, "")
        .kernel("picture")
        .launch(queue_, {1, 1}, {1, 1}, here(), image.get());
    return result();
  }

 private:
  cl_mem here() const { return device_.range_of(memory_.as()).memory; }
  int result() {
    int r = 0;
    device_.download(&r, memory_.as(), sizeof r, queue_);
    queue_.wait();
    return r;
  }
  ClDevice &device_;
  ClProgram program_;
  DeviceBuffer memory_;
  ClQueue queue_;
};

template <class F>
std::string error_of(F f) {
  try {
    f();
    return {};
  } catch (const Error &e) {
    return e.kind() == Error::Kind::device ? e.what() : "an error of another kind";
  }
}

long files_in(const fs::path &folder, const char *extension) {
  long n = 0;
  for (const auto &f : fs::recursive_directory_iterator(folder)) n += f.path().extension() == extension;
  return n;
}

void test(ClDevice &device, const fs::path &base) {
  Kernels kernels(device);
  const std::string helper = std::getenv("VIGIL_CL_BUILD");
  setenv("VIGIL_BREAKS", "first", 1);
  setenv("VIGIL_BREAKS_BY", "abort", 1);
  std::string said = error_of([&] { kernels.first(); });
  expect(has(said, "broke down") && has(said, "kernel first of kernels.cl") && has(said, "signal 6") &&
             has(said, "played break-down of first"),
         "a launch that ends the process is an error: " + said);
  expect(kernels.second() == 7, "another kernel of the program runs");
  expect(has(error_of([&] { kernels.first(); }), "broke down"), "it is an error the second time, too");
  setenv("VIGIL_BREAKS_BY", "exit", 1);
  said = error_of([&] { kernels.first(); });
  expect(has(said, "it ended the process with status 0"),
         "so is a launch that ends it without a signal: " + said);
  unsetenv("VIGIL_BREAKS");
  expect(kernels.first() == 9, "with a driver that is mended it runs, with its own arguments");
  if (device.number_info(CL_DEVICE_IMAGE_SUPPORT)) {
    said = error_of([&] { expect(kernels.picture() == 9, "a kernel that reads a picture"); });
    expect(said.empty() || has(said, "does not compile"), said);
    if (!said.empty())
      std::printf("SKIPPED: a kernel that reads a picture, which this driver does not compile\n");
  }
  const long tried = files_in(base, ".launched");
  expect(tried >= 2, "what passed is remembered");
  setenv("VIGIL_CL_BUILD", "/nowhere/vigil-cl-build", 1);
  expect(Kernels(device).first() == 9 && Kernels(device).second() == 7 &&
             files_in(base, ".launched") == tried,
         "and not tried again");
  setenv("VIGIL_CL_BUILD", helper.c_str(), 1);
}

int run() {
  char name[] = "/tmp/vigil-launch-XXXXXX";
  if (!mkdtemp(name)) fail(Error::Kind::io, "no temporary directory");
  setenv("XDG_CACHE_HOME", name, 1);
  std::unique_ptr<ClDevice> device;
  try {
    device = open_cl();
  } catch (const Error &e) {
    std::printf("SKIPPED: %s\n", e.what());
    return 77;
  }
  if (!device->is_cpu()) {
    std::printf("SKIPPED: %s is no processor, its launches are not tried\n", device->name().c_str());
    return 77;
  }
  const int status = test::run_cases("opencl launch", {{"a trial launch", [&] { test(*device, name); }}});
  fs::remove_all(name);
  return status;
}

} // namespace

int main() {
  return run();
}
