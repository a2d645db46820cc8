// SPDX-License-Identifier: LGPL-2.1-or-later
// A GStreamer OpenGL context as the device of work in compute shaders, for callers on any thread.
//
// All of its functions, and those of its queues, events and timers, go to the context's thread by themselves;
// kernels are called within on_thread(). Nothing waits for the GPU on that thread, which neighbours need: who
// waits does so on its own thread, and asks there now and then whether a fence was reached. What is
// downloaded is on the host after that wait, not before (common/gl/readbacks.h).
#pragma once

#include "gst/memory/gl_device.h"

#include <cstdint>

namespace vigil::gst {

class GlComputeDevice final : public GlContextDevice {
 public:
  // Any thread. Throws Error::no_device, saying what is missing, when the context has no compute shaders that
  // can do our work.
  static std::shared_ptr<GlComputeDevice> open(GstGLContext *);

  // With the context's state guarded as compute.h needs it. What was submitted is on its way afterwards.
  void on_thread(const std::function<void()> &) override;

  using GlDevice::download;
  using GlDevice::upload;
  void *allocate(std::size_t bytes) override;
  void release(void *) noexcept override;
  void *allocate_host(std::size_t bytes) override; // shaders can write there
  void release_host(void *) noexcept override;
  void upload(void *, std::ptrdiff_t, const void *, std::ptrdiff_t, std::size_t, int, Queue &) override;
  void download(void *, std::ptrdiff_t, const void *, std::ptrdiff_t, std::size_t, int, Queue &) override;
  void fill(void *, int, std::size_t, Queue &) override;
  std::unique_ptr<Queue> make_queue() override;
  std::unique_ptr<Event> make_event() override;
  std::unique_ptr<Timer> make_timer() override; // measures nothing where OpenGL ES has no timer queries

 private:
  friend GlContextDevice; // makes it
  explicit GlComputeDevice(GstGLContext *);
  int depth_ = 0; // calls of on_thread() within each other; the thread's own
};

} // namespace vigil::gst
