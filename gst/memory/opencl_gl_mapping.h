// SPDX-License-Identifier: LGPL-2.1-or-later
// Frames in OpenGL textures for elements that work in OpenCL, where one driver has both and shares textures
// between them (common/interop/opencl_gl.h; NVIDIA's goes through CUDA, see cuda_opencl_mapping.h). A texture
// is acquired, copied into a buffer on the GPU, worked on there, and the result copied into the texture that
// goes on: no byte comes near the host. OpenCL knows nothing of OpenGL's queue: OpenGL is finished before,
// and the host waits for OpenCL before the frame goes on.
#pragma once

#include "common/opencl/device.h"
#include "gst/memory/frame_mapping.h"

#include <memory>

typedef struct _GstGLContext GstGLContext;

namespace vigil::gst {

struct ClGlContexts; // an OpenCL context and the OpenGL one that it shares textures with

// An element's OpenCL device once more, sharing objects with the OpenGL context of the frames. Builds without
// OpenGL have the same class, which knows of no frames.
class ClGlSharing {
 public:
  ClGlSharing() = default;
  ~ClGlSharing() { close(); }
  ClGlSharing(const ClGlSharing &) = delete;
  ClGlSharing &operator=(const ClGlSharing &) = delete;

  // Whether the frame's textures are of an OpenGL context for which follow() was not called, and the driver
  // may share them: then it is to be called. Asks the driver once a context.
  bool is_new(GstBuffer *, const ClDevice &);
  // Throws Error::device and says why not when textures cannot be shared; then device() is null.
  void follow(GstBuffer *, const ClDevice &);
  ClDevice *device() const;
  const std::shared_ptr<ClGlContexts> &contexts() const { return contexts_; }
  void close() noexcept;

 private:
  void remember(GstGLContext *);
  GstGLContext *context_ = nullptr; // of the last frame that was new
  std::shared_ptr<ClGlContexts> contexts_;
};

// Its textures must be of an OpenGL context that shares with that one: Error::bad_data else.
std::unique_ptr<FrameMapping> make_texture_mapping(std::shared_ptr<ClGlContexts>, const FrameKind &);

} // namespace vigil::gst
