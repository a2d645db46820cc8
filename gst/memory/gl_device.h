// SPDX-License-Identifier: LGPL-2.1-or-later
// A GStreamer OpenGL context as the device of an element that goes to its thread by itself, once a frame.
// gl_compute_device.h is for those that do not.
//
// The work of such a device is done on the context's thread (on_thread_of), where it runs in the order in
// which it was submitted, together with all else that the context does. Its queues and events therefore have
// nothing to wait for, and its timers measure nothing: work that wants the GPU's clock makes a GlTimer on the
// thread (make_clock).
#pragma once

#include "common/gl/device.h"
#include "gst/memory/gl_thread.h"

#include <memory>
#include <string>

namespace vigil::gst {

class GlContextDevice : public GlDevice {
 public:
  // Any thread. Throws Error::no_device when the context's OpenGL is too old. The device keeps the context,
  // and dies on its thread.
  static std::shared_ptr<GlContextDevice> open(GstGLContext *);
  ~GlContextDevice() override = default;

  GstGLContext *context() const { return context_; }
  std::string name() const override { return name_; } // any thread
  void *allocate_host(std::size_t bytes) override;    // any thread; shaders cannot write there
  void release_host(void *) noexcept override;
  std::unique_ptr<Queue> make_queue() override;
  std::unique_ptr<Event> make_event() override;
  std::unique_ptr<Timer> make_timer() override;
  // On the thread; null where OpenGL ES has no timer queries.
  std::unique_ptr<Timer> make_clock() { return has_timer() ? GlDevice::make_timer() : nullptr; }

 protected:
  explicit GlContextDevice(GstGLContext *);
  // A device of this class, as open() makes one.
  template <class Made>
  static std::shared_ptr<Made> open_as(GstGLContext *context) {
    Made *device = nullptr;
    on_thread_of(context, [&] { device = new Made(context); });
    gst_object_ref(context);
    return {device, [context](Made *d) {
              give_back_on_thread_of(context, [d] { delete d; });
              gst_object_unref(context);
            }};
  }

 private:
  GstGLContext *context_; // who holds the device holds it, too
  std::string name_;
};

} // namespace vigil::gst
