// SPDX-License-Identifier: LGPL-2.1-or-later
// For a layer between the OpenCL loader and a driver (OPENCL_LAYERS): what the loader asks a layer for. One
// file of the layer includes this and defines take_over(), which puts its own functions into `ours`; all else
// goes to the driver below.
#pragma once

#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl_icd.h>
#include <CL/cl_layer.h>
#include <cstddef>

namespace vigil::test::layer {

inline cl_icd_dispatch below{}, ours{};
void take_over();

} // namespace vigil::test::layer

extern "C" __attribute__((visibility("default"))) CL_API_ENTRY cl_int CL_API_CALL
clGetLayerInfo(cl_layer_info what, std::size_t size, void *value, std::size_t *needed) {
  if (what != CL_LAYER_API_VERSION || (value && size < sizeof(cl_layer_api_version))) return CL_INVALID_VALUE;
  if (needed) *needed = sizeof(cl_layer_api_version);
  if (value) *static_cast<cl_layer_api_version *>(value) = CL_LAYER_API_VERSION_100;
  return CL_SUCCESS;
}

extern "C" __attribute__((visibility("default"))) CL_API_ENTRY cl_int CL_API_CALL
clInitLayer(cl_uint size, const cl_icd_dispatch *next, cl_uint *count, const cl_icd_dispatch **result) {
  using namespace vigil::test::layer;
  if (size < sizeof below / sizeof(void *)) return CL_INVALID_VALUE;
  below = *next;
  take_over();
  *count = cl_uint(sizeof ours / sizeof(void *));
  *result = &ours;
  return CL_SUCCESS;
}
