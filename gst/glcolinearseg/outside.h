// SPDX-License-Identifier: LGPL-2.1-or-later
// Frames that are not in OpenGL textures, in system memory or CUDA memory, for work in OpenGL: each is copied into a texture,
// and what comes out is copied from another one. From CUDA memory that happens on the GPU where OpenGL is on the same one;
// everything else goes through GStreamer's own upload and download.
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
  // Textures for frames like these, in this context. Throws Error::no_memory when there are none to be had.
  Outside(GstGLContext *, const GstVideoInfo &);
  Outside(const Outside &) = delete;
  Outside &operator=(const Outside &) = delete;
  bool serves(GstGLContext *context, const GstVideoInfo &info) const {
    return context == context_ && gst_video_info_is_equal(&info, &info_);
  }

  // The frame as a texture. `cuda`: the device and queue of frames in CUDA memory; null for system memory.
  struct Cuda {
    Device &device;
    Queue &queue;
    Event &scratch;
  };
  GstBuffer *load(GstBuffer *, const Cuda *, ByteCounts &);
  // The texture to draw into, and what was drawn goes into a frame; it is finished then.
  GstBuffer *target() { return target_.get(); }
  void store(GstBuffer *, const Cuda *, ByteCounts &);
  // Some frame in CUDA memory had to go through the host.
  bool cuda_through_host() const { return cuda_through_host_; }

 private:
  void through_host(GstBuffer *from, GstBuffer *to);
  GstGLContext *context_; // its buffers keep it
  GstVideoInfo info_;
  BufferPtr source_, target_;
  bool cuda_through_host_ = false;
};

} // namespace vigil::gst::glcolinearseg
