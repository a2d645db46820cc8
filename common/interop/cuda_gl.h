// SPDX-License-Identifier: LGPL-2.1-or-later
// Textures of OpenGL as CUDA sees them. All of it is to be called on a thread where the texture's OpenGL context is current.
//
// Measured on an H200: registration 300 us, so it is to be kept with the texture; a copy of 1080p RGBA 26 us, and 3 us each
// for what goes before and after it.
#pragma once

#include "common/cuda/device.h"

#include <cstddef>
#include <memory>
#include <span>

struct cudaGraphicsResource;

namespace vigil {

// Whether OpenGL, in the context that is current here, and CUDA device `id` are the same GPU: only then do they share.
// False also for drivers of OpenGL that know no CUDA.
bool gl_is_on_cuda_device(int id);

// A 2D texture in one of OpenGL's 8-bit formats of 1, 2 or 4 channels.
class CudaGlTexture {
 public:
  // Throws Error::device when CUDA refuses the texture.
  CudaGlTexture(std::shared_ptr<CUctx_st> context, unsigned texture);
  ~CudaGlTexture(); // before the texture goes
  CudaGlTexture(const CudaGlTexture &) = delete;
  CudaGlTexture &operator=(const CudaGlTexture &) = delete;
  CUctx_st *context() const { return context_.get(); }
  unsigned texture() const { return texture_; }

  // A texture's first rows, and where they are in linear device memory.
  template <class T>
  struct Rows {
    CudaGlTexture *texture;
    T *memory;
    std::ptrdiff_t stride; // bytes, of the memory
    std::size_t bytes;     // of a row
    int count;
  };
  // Copies between the planes of a picture, textures of one CUDA context, and memory, in order with the queue. OpenGL must
  // be done with the textures before, and begin again only when the queue has got past the copies.
  static void read(std::span<const Rows<void>>, Queue &);
  static void write(std::span<const Rows<const void>>, Queue &);

 private:
  template <class T, class Copy>
  static void copy(std::span<const Rows<T>>, Queue &, Copy);
  std::shared_ptr<CUctx_st> context_;
  unsigned texture_;
  cudaGraphicsResource *resource_ = nullptr;
};

} // namespace vigil
