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

// All are mapped at once: each mapping may make the GPU change from one API to the other.
template <class T, class Copy>
void CudaGlTexture::copy(std::span<const Rows<T>> planes, Queue &queue, Copy copy) {
  constexpr std::size_t most = 3;
  const int count = static_cast<int>(std::min(planes.size(), most));
  if (count == 0) return;
  const CudaScope scope(planes[0].texture->context());
  const cudaStream_t stream = stream_of(queue);
  cudaGraphicsResource_t resources[most];
  for (int i = 0; i < count; i++) resources[i] = planes[i].texture->resource_;
  cuda_check(cudaGraphicsMapResources(count, resources, stream), "OpenGL textures cannot be mapped by CUDA");
  cudaError_t e = cudaSuccess;
  for (int i = 0; i < count && e == cudaSuccess; i++) {
    cudaArray_t array = nullptr;
    e = cudaGraphicsSubResourceGetMappedArray(&array, resources[i], 0, 0);
    if (e == cudaSuccess) e = copy(array, planes[i], stream);
  }
  const cudaError_t unmapped = cudaGraphicsUnmapResources(count, resources, stream);
  cuda_check(e, "a copy of an OpenGL texture");
  cuda_check(unmapped, "OpenGL textures cannot be given back by CUDA");
}

void CudaGlTexture::read(std::span<const Rows<void>> planes, Queue &queue) {
  copy(planes, queue, [](cudaArray_t array, const Rows<void> &to, cudaStream_t stream) {
    return cudaMemcpy2DFromArrayAsync(to.memory, std::size_t(to.stride), array, 0, 0, to.bytes,
                                      std::size_t(to.count), cudaMemcpyDeviceToDevice, stream);
  });
}

void CudaGlTexture::write(std::span<const Rows<const void>> planes, Queue &queue) {
  copy(planes, queue, [](cudaArray_t array, const Rows<const void> &from, cudaStream_t stream) {
    return cudaMemcpy2DToArrayAsync(array, 0, 0, from.memory, std::size_t(from.stride), from.bytes,
                                    std::size_t(from.count), cudaMemcpyDeviceToDevice, stream);
  });
}

} // namespace vigil
