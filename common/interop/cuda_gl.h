// SPDX-License-Identifier: LGPL-2.1-or-later
// Textures of OpenGL as CUDA sees them; cuda_gl_copies.h copies them. All of it is to be called on a thread
// where the texture's OpenGL context is current.
//
// Measured on an H200: registration takes 300 us, so it is to be kept with the texture.
#pragma once

#include "common/cuda/device.h"

#include <memory>

struct cudaGraphicsResource;

namespace vigil {

// Whether OpenGL, in the context that is current here, and CUDA device `id` are the same GPU: only then do
// they share. False also for drivers of OpenGL that know no CUDA.
bool gl_is_on_cuda_device(int id);

// A point that a queue of a CUDA context gets to. Any thread.
class CudaMark {
 public:
  explicit CudaMark(std::shared_ptr<CUctx_st> context);
  ~CudaMark();
  CudaMark(const CudaMark &) = delete;
  CudaMark &operator=(const CudaMark &) = delete;
  void put(cudaStream_t);        // here, from now on
  void hold(cudaStream_t) const; // what is submitted to this one from now on comes after the point
  void wait() const noexcept;    // the host does; errors are left to those who wait for the queue

 private:
  std::shared_ptr<CUctx_st> context_;
  cudaEvent_t event_ = nullptr;
};

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
  // For the copies with the texture: where the last of them is done.
  const std::shared_ptr<CudaMark> &mark() const { return mark_; }
  cudaGraphicsResource *resource() const { return resource_; }

 private:
  std::shared_ptr<CUctx_st> context_;
  unsigned texture_;
  std::shared_ptr<CudaMark> mark_;
  cudaGraphicsResource *resource_ = nullptr;
};

} // namespace vigil
