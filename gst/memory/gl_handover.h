// SPDX-License-Identifier: LGPL-2.1-or-later
// Frames in textures of one OpenGL context, on their way to CUDA or back, many at a time. A change of API on the GPU takes
// several times as long as the copy of a picture, so frames that wait at the same time go in one batch, whosever they are:
// one of the threads that wait for theirs hands all of them over, also those whose owners do something else meanwhile. While the GPU is
// at one batch the next one gathers, so batches grow by themselves when many frames want one; a thread that hands over one frame after the other, and is
// alone, waits for nobody.
#pragma once

#include "common/cuda/device.h"
#include "common/interop/cuda_gl_copies.h"

#include <condition_variable>
#include <exception>
#include <gst/gl/gl.h>

namespace vigil::gst {

class Handover {
 public:
  Handover(CudaDevice &device, Queue &queue) : cuda(device) { picture.queue = &queue; }
  virtual ~Handover() = default; // not while it is in the line
  Handover(const Handover &) = delete;
  Handover &operator=(const Handover &) = delete;

  // On the thread of the OpenGL context, before the copies: makes the textures ready and enters in `picture` what is to be
  // copied.
  virtual void open() = 0;
  // On the same thread, when the copies are submitted; also when something was thrown.
  virtual void close() noexcept = 0;

  CudaDevice &cuda;
  CudaGlCopies::Picture picture;

  // The line's: see gl_handover.cpp.
  struct Ticket {
    bool done = true;
    std::exception_ptr error;
    std::condition_variable turn;
  } ticket;
};

// The frame gets into the line. From now on its textures and its queue are the line's, until wait_for() returns. On the thread of the
// OpenGL context, which waits for no other, it is served at once.
void enter_line(GstGLContext *, Handover &);
// Returns when the copies of this frame are submitted to its queue, in order with the queue's other work. Throws what went wrong with
// this frame; the others of its batch do not notice. Any thread; each frame in the line must be waited for, once.
void wait_for(GstGLContext *, Handover &);
// Both.
void hand_over(GstGLContext *, Handover &);

} // namespace vigil::gst
