// SPDX-License-Identifier: LGPL-2.1-or-later
// Frames that are not in OpenGL textures, in system memory or CUDA memory, for work in OpenGL.
//   system memory  in: uploaded as glupload does; out: OpenGL memory, which is downloaded when the next element maps it, as
//                  after gldownload
//   CUDA memory    copied into a texture, and what comes out from another one: on the GPU where OpenGL is on the same one,
//                  else through the host
// What goes on in a texture is drawn into that one. Frames of other formats than RGBA become RGBA as glcolorconvert makes it.
//
// For the streaming thread.
#pragma once

#include "gst/frames/buffer_ptr.h"
#include "gst/memory/cuda_context.h"
#include "gst/memory/slots.h"

#include <gst/gl/gl.h>
#include <memory>

namespace vigil::gst::glcolinearseg {

class Outside {
 public:
  // For frames like `in` that become frames like `out`, which is RGBA, in this context.
  Outside(GstGLContext *, const GstVideoInfo &in, const GstVideoInfo &out);
  ~Outside();
  Outside(const Outside &) = delete;
  Outside &operator=(const Outside &) = delete;
  bool serves(GstGLContext *context, const GstVideoInfo &in, const GstVideoInfo &out) const {
    return context == context_ && gst_video_info_is_equal(&in, &in_) && gst_video_info_is_equal(&out, &out_);
  }

  // The frame as a texture of RGBA: in `into`, or where that is null in one of our own, which stays until the next frame. `cuda`:
  // the device and queue of frames in CUDA memory; null for system memory. Throws Error::bad_data when the frame is not
  // what the caps say, no_memory when there is no texture to be had.
  struct Cuda {
    Device &device;
    Queue &queue;
    Event &scratch;
  };
  GstBuffer *load(GstBuffer *, GstBuffer *into, const Cuda *, ByteCounts &);
  // The texture to draw what goes out into.
  GstBuffer *target(GstBuffer *out);
  // What is in the texture goes into the frame that goes out, in system or CUDA memory.
  void store(GstBuffer *texture, GstBuffer *out, const Cuda *, ByteCounts &);
  // The work on the frame is done: lets go of the textures that were made of it. (GStreamer's upload keeps the frame itself until
  // the next one.)
  void release();
  // Some frame in CUDA memory had to go through the host.
  bool cuda_through_host() const { return cuda_through_host_; }

 private:
  GstBuffer *texture(BufferPtr &, const GstVideoInfo &);
  GstBuffer *fetch(GstBuffer *, GstBuffer *into, const Cuda *, ByteCounts &);
  bool upload(GstBuffer *);
  GstGLContext *context_; // upload_ keeps it
  GstVideoInfo in_, out_;
  GstGLUpload *upload_;
  GstGLColorConvert *convert_ = nullptr; // where frames are not RGBA
  BufferPtr uploaded_, converted_;       // by those
  BufferPtr source_, target_;            // when they are needed
  bool cuda_through_host_ = false;
};

} // namespace vigil::gst::glcolinearseg
