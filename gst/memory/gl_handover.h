// SPDX-License-Identifier: LGPL-2.1-or-later
// Transfers frames between the textures of one OpenGL context and CUDA, several at a time. A change of API on
// the GPU takes several times as long as the copy of a picture. Therefore frames that are queued by any
// thread are transferred as one batch by one of the waiting threads, including frames whose owners do
// something else meanwhile. While the GPU works on one batch, the next one gathers, so batches grow when many
// frames are waiting. A thread that is alone, and transfers one frame after the other, waits for nobody.
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
  virtual ~Handover() = default; // not while it is queued
  Handover(const Handover &) = delete;
  Handover &operator=(const Handover &) = delete;

  // On the thread of the OpenGL context, before the copies: makes the textures ready and enters in `picture`
  // what is to be copied.
  virtual void open() = 0;
  // On the same thread, when the copies are submitted; also when something was thrown.
  virtual void close() noexcept = 0;

  CudaDevice &cuda;
  CudaGlCopies::Picture picture;

  // The queue's: see gl_handover.cpp.
  struct Ticket {
    bool done = true;
    std::exception_ptr error;
    std::condition_variable turn;
  } ticket;
};

// Queues the frame. Its textures and its queue must not be used until wait_for() has returned. On the thread
// of the OpenGL context, which cannot wait for others, the frame is transferred at once.
void enqueue(GstGLContext *, Handover &);
// Returns when the copies of this frame have been submitted to its queue, in order with the queue's other
// work. Throws what went wrong with this frame; the other frames of its batch are not affected. Thread-safe.
// Call it exactly once for each frame that was queued.
void wait_for(GstGLContext *, Handover &);
// Both.
void hand_over(GstGLContext *, Handover &);

} // namespace vigil::gst
