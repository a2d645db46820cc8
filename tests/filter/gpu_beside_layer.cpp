// SPDX-License-Identifier: LGPL-2.1-or-later
// A layer between the OpenCL loader and PoCL (OPENCL_LAYERS) that plays a machine with a GPU and a processor:
// the first device says that it is a GPU. Each kernel that the GPU is given to run over pixels is noted as a
// line in the file VIGIL_GPU_LAUNCHES. With VIGIL_BROKEN_PROCESSOR set, a kernel on any other device ends the
// process, as with a driver that is broken on this machine.
#include "tests/opencl_layer.h"

#include <cstdio>
#include <cstdlib>

namespace {

using vigil::test::layer::below;

cl_device_id gpu() {
  static const cl_device_id first = [] {
    cl_platform_id platform = nullptr;
    cl_device_id device = nullptr;
    if (below.clGetPlatformIDs(1, &platform, nullptr) == CL_SUCCESS)
      below.clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr);
    return device;
  }();
  return first;
}

cl_int CL_API_CALL device_info(cl_device_id device, cl_device_info what, size_t size, void *value,
                               size_t *needed) {
  const cl_int r = below.clGetDeviceInfo(device, what, size, value, needed);
  if (r == CL_SUCCESS && what == CL_DEVICE_TYPE && value && device == gpu())
    *static_cast<cl_device_type *>(value) = CL_DEVICE_TYPE_GPU;
  return r;
}

cl_int CL_API_CALL launch(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t *offset,
                          const size_t *global, const size_t *local, cl_uint events, const cl_event *list,
                          cl_event *event) {
  cl_device_id device = nullptr;
  below.clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof device, &device, nullptr);
  if (device != gpu()) {
    if (std::getenv("VIGIL_BROKEN_PROCESSOR")) std::abort();
  } else if (const char *path = std::getenv("VIGIL_GPU_LAUNCHES")) {
    if (FILE *f = std::fopen(path, "a")) {
      std::fprintf(f, "%zu\n", global[0]);
      std::fclose(f);
    }
  }
  return below.clEnqueueNDRangeKernel(queue, kernel, dimensions, offset, global, local, events, list, event);
}

} // namespace

void vigil::test::layer::take_over() {
  ours.clGetDeviceInfo = device_info;
  ours.clEnqueueNDRangeKernel = launch;
}
