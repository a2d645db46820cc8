// SPDX-License-Identifier: LGPL-2.1-or-later
// OpenGL's textures as OpenCL sees them, where one driver has both: an OpenCL context that is made for an
// OpenGL one (cl_khr_gl_sharing, contexts of EGL), and images in it that are the other's textures. NVIDIA's
// driver refuses such contexts: there CUDA stands between the two (cuda_gl.h, cuda_opencl.h).
#pragma once

#include "common/opencl/handle.h"

#include <memory>

namespace vigil {

class ClDevice;
class ClQueue;
class GlDevice;

// Whether the driver says that it has this at all.
bool may_share_textures(const ClDevice &);

// The same OpenCL device in a context that shares objects with `gl`, which must outlive it; to be
// called where that one is current. Throws Error::device, and says why, when the driver refuses, when OpenGL
// runs elsewhere than on this device, and when what one API writes is not what the other reads: a small
// texture is tried, both ways.
std::unique_ptr<ClDevice> open_beside_gl(const ClDevice &, GlDevice &gl);

// A 2D texture in RGBA of 8 bits a channel.
class ClGlTexture {
 public:
  // The device is one of open_beside_gl(), which must outlive this, and its OpenGL context current on this
  // thread. Throws Error::device.
  ClGlTexture(ClDevice &, unsigned texture);
  unsigned texture() const { return texture_; }

  // Copies of the first `height` rows to and from device memory, where rows of `width` pixels lie without a
  // gap, in order with the queue's other work. Any thread. OpenGL must be done with the texture (glFinish),
  // and may go on with it when the queue is.
  void copy_to(void *memory, int width, int height, ClQueue &) const;
  void copy_from(const void *memory, int width, int height, ClQueue &) const;

 private:
  template <class Enqueue>
  void while_ours(ClQueue &, Enqueue) const;
  ClDevice &device_;
  unsigned texture_;
  ClMemHandle image_;
};

} // namespace vigil
