// SPDX-License-Identifier: LGPL-2.1-or-later
// A layer between the OpenCL loader and a driver (OPENCL_LAYERS) that plays a driver which ends its process
// when it starts a certain kernel, as PoCL 6 does with one whose functions it cannot find. VIGIL_BREAKS names
// the kernel ("any": each), VIGIL_BREAKS_BY how: "abort", or "exit" (with status 0, as if all were well).
#include "tests/opencl_layer.h"

#include <cstdio>
#include <cstdlib>
#include <string>
#include <unistd.h>

namespace {

using vigil::test::layer::below;

std::string environment(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

cl_int CL_API_CALL launch(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t *offset,
                          const size_t *global, const size_t *local, cl_uint events, const cl_event *list,
                          cl_event *event) {
  char name[256] = "";
  below.clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, sizeof name - 1, name, nullptr);
  if (const std::string breaks = environment("VIGIL_BREAKS"); breaks == name || breaks == "any") {
    std::fprintf(stderr, "driver: played break-down of %s\n", name);
    if (environment("VIGIL_BREAKS_BY") == "exit") _exit(0);
    std::abort();
  }
  return below.clEnqueueNDRangeKernel(queue, kernel, dimensions, offset, global, local, events, list, event);
}

} // namespace

void vigil::test::layer::take_over() {
  ours.clEnqueueNDRangeKernel = launch;
}
