// SPDX-License-Identifier: LGPL-2.1-or-later
#include "common/interop/cuda_opencl.h"

#include "common/cuda/device.h"
#include "common/error.h"
#include "common/opencl/device.h"

namespace vigil {

CudaClMemory::CudaClMemory(CudaDevice &cuda, ClDevice &cl, std::size_t bytes)
    : memory_(cuda, bytes), cl_(cl), address_(cl.import(memory_.export_descriptor(), memory_.bytes())) {}
CudaClMemory::~CudaClMemory() {
  cl_.release(address_);
}

std::string why_not_shared(CudaDevice &cuda, ClDevice &cl) {
  const auto uuid = cl.uuid();
  if (!uuid) return text("the OpenCL device ", cl.device_name(), " is not known to be the frames' GPU");
  if (*uuid != cuda_uuid(cuda.id()))
    return text("the OpenCL device ", cl.device_name(), " is another one than the frames' GPU, ",
                cuda.name());
  if (const std::string why = cl.why_no_import(); !why.empty())
    return text("the OpenCL device ", cl.device_name(), " takes no memory of CUDA: ", why);
  try {
    CudaClMemory(cuda, cl, 1);
  } catch (const Error &e) {
    return e.what();
  }
  return {};
}

} // namespace vigil
