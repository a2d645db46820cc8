// SPDX-License-Identifier: LGPL-2.1-or-later
// A layer between the OpenCL loader and a driver (OPENCL_LAYERS) that plays a driver which ends its process
// when it starts a certain kernel, as PoCL 6 does with one whose functions it cannot find. VIGIL_BREAKS names
// the kernel, VIGIL_BREAKS_BY how: "abort", or "exit" (with status 0, as if all were well).
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl_icd.h>
#include <CL/cl_layer.h>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <unistd.h>

namespace {

cl_icd_dispatch below{}, ours{};

std::string environment(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

cl_int CL_API_CALL launch(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t *offset,
                          const size_t *global, const size_t *local, cl_uint events, const cl_event *list,
                          cl_event *event) {
  char name[256] = "";
  below.clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, sizeof name - 1, name, nullptr);
  if (environment("VIGIL_BREAKS") == name) {
    std::fprintf(stderr, "driver: played break-down of %s\n", name);
    if (environment("VIGIL_BREAKS_BY") == "exit") _exit(0);
    std::abort();
  }
  return below.clEnqueueNDRangeKernel(queue, kernel, dimensions, offset, global, local, events, list, event);
}

} // namespace

// What the loader asks a layer for.
#define LAYER extern "C" __attribute__((visibility("default")))

LAYER cl_int CL_API_CALL clGetLayerInfo(cl_layer_info what, size_t size, void *value, size_t *needed) {
  if (what != CL_LAYER_API_VERSION) return CL_INVALID_VALUE;
  if (needed) *needed = sizeof(cl_layer_api_version);
  if (value && size < sizeof(cl_layer_api_version)) return CL_INVALID_VALUE;
  if (value) *static_cast<cl_layer_api_version *>(value) = CL_LAYER_API_VERSION_100;
  return CL_SUCCESS;
}

LAYER cl_int CL_API_CALL clInitLayer(cl_uint size, const cl_icd_dispatch *target, cl_uint *count,
                                     const cl_icd_dispatch **result) {
  if (size < sizeof below / sizeof(void *)) return CL_INVALID_VALUE;
  below = *target;
  ours.clEnqueueNDRangeKernel = launch;
  *count = cl_uint(sizeof ours / sizeof(void *));
  *result = &ours;
  return CL_SUCCESS;
}
