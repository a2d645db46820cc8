// SPDX-License-Identifier: LGPL-2.1-or-later
// Frames in OpenGL textures, to and from CUDA device memory, without the host:
//
//   copy_from_gl()  the queue gets a copy of the texture (which is uploaded first, when it was last written
//                   by the host)
//   copy_to_gl()    the same the other way
//
// The copies start when OpenGL is done with the frame, and the other contexts as well that drew it and left a
// GstGLSyncMeta: CUDA and OpenGL see to that on the GPU, the host does not wait.
//
// Frames of one OpenGL context that several threads hand over at the same time, in either direction, go in
// one batch (gl_handover.h), since each change of API on the GPU takes longer than a copy. The functions
// return when the copies are submitted, which is after the GPU is done with the batch before, if that was
// others'. The copies of a batch start when the queues of all its frames have got there.
//
// The queue does the copies in order with its other work; no other thread may use it meanwhile. The frame
// must stay, and no one may use it in OpenGL, until the queue has got past the copy: wait for it on the host
// before the frame goes on. A texture is registered with CUDA at its first copy (300 us), and for as long as
// its memory lives in the CUDA context that used it last.
//
// Builds without OpenGL or CUDA have the same functions, which always return false.
#pragma once

#include "common/device.h"
#include "common/plane.h"

#include <gst/video/video.h>
#include <memory>

namespace vigil::gst {

// Whether the OpenGL context of the frame's texture and the CUDA device are the same GPU. When they are not,
// frames go through the host: gst_video_frame_map() downloads and uploads them.
bool gl_reaches_cuda(GstBuffer *, Device &cuda);

// `info` is the frame's, in one of our 8-bit formats; each plane is a texture. `to` and `from` are pictures
// of that format and size in memory of the CUDA device. Both return false, and do nothing, when
// gl_reaches_cuda() would. They throw Error::bad_data when the frame is not what `info` says in OpenGL
// memory, Error::device when CUDA fails.
bool copy_from_gl(GstBuffer *, const GstVideoInfo &info, Device &cuda, const Image &to, Queue &);
bool copy_to_gl(GstBuffer *, const GstVideoInfo &info, Device &cuda, const ConstImage &from, Queue &);

// copy_to_gl() in two steps, so that the caller can do other things while frames gather to a batch.
class CopyToGl {
 public:
  CopyToGl();
  ~CopyToGl(); // and end()
  // As copy_to_gl(), but the copy is submitted later, and `done` recorded behind it. The queue must do
  // nothing else meanwhile.
  bool begin(GstBuffer *, const GstVideoInfo &info, Device &cuda, const ConstImage &from, Queue &,
             Event &done);
  // Returns when that was done for what was begun; throws what went wrong.
  void end();

 private:
  struct Begun;
  std::unique_ptr<Begun> begun_;
};

} // namespace vigil::gst
