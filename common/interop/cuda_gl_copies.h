// SPDX-License-Identifier: LGPL-2.1-or-later
// Copies between OpenGL textures and CUDA memory, for several queues in one mapping: each mapping makes the
// GPU change from one API to the other and back (140 to 160 us each on an H200, where the copy of a 1080p
// RGBA picture takes 26 us).
#pragma once

#include "common/device.h"

#include <array>
#include <cstddef>
#include <exception>
#include <memory>
#include <span>
#include <vector>

struct cudaGraphicsResource;

namespace vigil {

class CudaGlTexture;
class CudaMark;

class CudaGlCopies {
 public:
  // A texture's first rows, and where they are in linear device memory.
  struct Rows {
    CudaGlTexture *texture = nullptr;
    void *to = nullptr;         // memory that gets the rows, or
    const void *from = nullptr; // memory that they are taken from: one of the two
    std::ptrdiff_t stride = 0;  // bytes, of the memory
    std::size_t bytes = 0;      // of a row
    int count = 0;
  };
  // The planes of a picture, in order with the other work of a queue.
  struct Picture {
    std::array<Rows, 3> planes{};
    int count = 0;
    Queue *queue = nullptr;
    std::exception_ptr error; // what went wrong with this one
  };

  // Submits all of them; the textures are of one CUDA context, and several pictures may have the same. To be
  // called where the textures' OpenGL context is current. OpenGL must be done with the textures before, and
  // begin again only when their queues have got past the copies. The first picture's queue does the work of
  // all, so nobody may use the queues meanwhile. Errors go to `error` of those whom they concern.
  void run(std::span<Picture *const>);
  // Returns when the GPU is done with the last run(), unless its textures are gone; not to be called during
  // one. Errors are left to those who wait for the queues.
  void wait() noexcept;

 private:
  void together(std::span<Picture *const>);
  std::weak_ptr<CudaMark> end_; // of the last run; a texture's, so that nothing here keeps a CUDA context
  std::vector<cudaGraphicsResource *> resources_;
};

} // namespace vigil
