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

CudaGlTexture::CudaGlTexture(std::shared_ptr<CUctx_st> context, unsigned texture)
    : context_(std::move(context)), texture_(texture) {
  const CudaScope scope(context_.get());
  cuda_check(cudaGraphicsGLRegisterImage(&resource_, texture, GL_TEXTURE_2D, cudaGraphicsRegisterFlagsNone),
             "an OpenGL texture cannot be registered with CUDA");
}

CudaGlTexture::~CudaGlTexture() {
  const CudaScope scope(context_.get());
  cudaGraphicsUnregisterResource(resource_);
}

template <class Copy>
void CudaGlTexture::mapped(Queue &queue, Copy copy) {
  const CudaScope scope(context_.get());
  const cudaStream_t stream = stream_of(queue);
  cuda_check(cudaGraphicsMapResources(1, &resource_, stream), "an OpenGL texture cannot be mapped by CUDA");
  cudaArray_t array = nullptr;
  cudaError_t e = cudaGraphicsSubResourceGetMappedArray(&array, resource_, 0, 0);
  if (e == cudaSuccess) e = copy(array, stream);
  const cudaError_t unmapped = cudaGraphicsUnmapResources(1, &resource_, stream);
  cuda_check(e, "a copy of an OpenGL texture");
  cuda_check(unmapped, "an OpenGL texture cannot be given back by CUDA");
}

void CudaGlTexture::read(void *to, std::ptrdiff_t stride, std::size_t row_bytes, int rows, Queue &queue) {
  mapped(queue, [&](cudaArray_t array, cudaStream_t stream) {
    return cudaMemcpy2DFromArrayAsync(to, std::size_t(stride), array, 0, 0, row_bytes, std::size_t(rows),
                                      cudaMemcpyDeviceToDevice, stream);
  });
}

void CudaGlTexture::write(const void *from, std::ptrdiff_t stride, std::size_t row_bytes, int rows,
                          Queue &queue) {
  mapped(queue, [&](cudaArray_t array, cudaStream_t stream) {
    return cudaMemcpy2DToArrayAsync(array, 0, 0, from, std::size_t(stride), row_bytes, std::size_t(rows),
                                    cudaMemcpyDeviceToDevice, stream);
  });
}

} // namespace vigil
