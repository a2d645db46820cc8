// SPDX-License-Identifier: LGPL-2.1-or-later
// Frames that are not in OpenGL textures, in system memory or CUDA memory, for work in OpenGL.
//   system memory  in: uploaded as glupload does; out: OpenGL memory, which is downloaded when the next element maps it, as
//                  after gldownload
//   CUDA memory    copied into a texture, and what comes out from another one: on the GPU where OpenGL is on the same one,
//                  else through the host
// What goes on in a texture is drawn into that one.
//
// For the streaming thread.
#pragma once

#include "gst/base/buffer_ptr.h"
#include "gst/base/cuda.h"
#include "gst/base/frames.h"

#include <gst/gl/gl.h>
#include <memory>

namespace vigil::gst::glcolinearseg {

class Outside {
 public:
  // For frames like these, in this context.
  Outside(GstGLContext *, const GstVideoInfo &);
  ~Outside();
  Outside(const Outside &) = delete;
  Outside &operator=(const Outside &) = delete;
  bool serves(GstGLContext *context, const GstVideoInfo &info) const {
    return context == context_ && gst_video_info_is_equal(&info, &info_);
  }

  // The frame as a texture: in `into`, or where that is null in one of our own, which stays until the next frame. `cuda`:
  // the device and queue of frames in CUDA memory; null for system memory. Throws Error::bad_data when the frame is not
  // what the caps say, no_memory when there is no texture to be had.
  struct Cuda {
    Device &device;
    Queue &queue;
    Event &scratch;
  };
  GstBuffer *load(GstBuffer *, GstBuffer *into, const Cuda *, ByteCounts &);
  // The texture to draw into, and what was drawn goes into the frame that goes out, in system or CUDA memory.
  GstBuffer *target(GstBuffer *out);
  void store(GstBuffer *, const Cuda *, ByteCounts &);
  // Some frame in CUDA memory had to go through the host.
  bool cuda_through_host() const { return cuda_through_host_; }

 private:
  GstBuffer *texture(BufferPtr &);
  bool upload(GstBuffer *);
  void through_host(GstBuffer *from, GstBuffer *to);
  GstGLContext *context_; // upload_ keeps it
  GstVideoInfo info_;
  GstGLUpload *upload_;
  BufferPtr uploaded_;        // by it
  BufferPtr source_, target_; // when they are needed
  bool cuda_through_host_ = false;
};

} // namespace vigil::gst::glcolinearseg
