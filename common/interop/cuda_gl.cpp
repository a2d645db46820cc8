// SPDX-License-Identifier: LGPL-2.1-or-later
#include "common/interop/cuda_gl.h"

#include "common/error.h"

#include <algorithm>
#include <array>
#include <cuda_gl_interop.h>

namespace vigil {

bool gl_is_on_cuda_device(int id) {
  std::array<int, 16> devices{};
  unsigned count = 0;
  if (cudaGLGetDevices(&count, devices.data(), unsigned(devices.size()), cudaGLDeviceListAll) !=
      cudaSuccess) {
    (void)cudaGetLastError(); // it is the next caller's otherwise
    return false;
  }
  const auto end = devices.begin() + std::min(std::ptrdiff_t(count), std::ptrdiff_t(devices.size()));
  return std::find(devices.begin(), end, id) != end;
}

CudaMark::CudaMark(std::shared_ptr<CUctx_st> context) : context_(std::move(context)) {
  const CudaScope scope(context_.get());
  cuda_check(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming), "cudaEventCreate");
}
CudaMark::~CudaMark() {
  if (const CudaTeardown scope(context_.get()); scope) cudaEventDestroy(event_);
}
void CudaMark::put(cudaStream_t stream) {
  const CudaScope scope(context_.get());
  cuda_check(cudaEventRecord(event_, stream), "cudaEventRecord");
}
void CudaMark::hold(cudaStream_t stream) const {
  const CudaScope scope(context_.get());
  cuda_check(cudaStreamWaitEvent(stream, event_, 0), "cudaStreamWaitEvent");
}
void CudaMark::wait() const noexcept {
  if (const CudaTeardown scope(context_.get()); scope) (void)cudaEventSynchronize(event_);
}

CudaGlTexture::CudaGlTexture(std::shared_ptr<CUctx_st> context, unsigned texture)
    : context_(std::move(context)), texture_(texture), mark_(std::make_shared<CudaMark>(context_)) {
  const CudaScope scope(context_.get());
  cuda_check(cudaGraphicsGLRegisterImage(&resource_, texture, GL_TEXTURE_2D, cudaGraphicsRegisterFlagsNone),
             "an OpenGL texture cannot be registered with CUDA");
}

CudaGlTexture::~CudaGlTexture() {
  if (const CudaTeardown scope(context_.get()); scope) cudaGraphicsUnregisterResource(resource_);
}

} // namespace vigil
