// SPDX-License-Identifier: LGPL-2.1-or-later
// Work on the thread of an OpenGL context.
#pragma once

#include "common/error.h"

#include <exception>
#include <gst/gl/gl.h>

namespace vigil::gst {

// Runs fn() on the thread of an OpenGL context and waits for it; what it throws is thrown here. Throws
// Error::device when the thread takes no work: it has ended, or is the application's own (a context that was
// wrapped), which only the application can let do something.
template <class Fn>
void on_thread_of(GstGLContext *context, Fn fn) {
  struct Call {
    Fn &fn;
    std::exception_ptr error;
    bool ran = false;
  } call{fn, nullptr};
  gst_gl_context_thread_add(
      context,
      [](GstGLContext *, gpointer data) {
        auto *c = static_cast<Call *>(data);
        c->ran = true;
        try {
          c->fn();
        } catch (...) {
          c->error = std::current_exception();
        }
      },
      &call);
  if (!call.ran)
    fail(Error::Kind::device, "the thread of an OpenGL context takes no work: it has ended, or is a wrapped "
                              "context of the application's; give the frames' own context instead");
  if (call.error) std::rethrow_exception(call.error);
}

// The same for what is given back, by any thread and also by destructors: whether it was done. Where it was
// not, the context is lost with its thread, and what belongs to it must not be touched on another one.
template <class Fn>
bool give_back_on_thread_of(GstGLContext *context, Fn fn) noexcept {
  try {
    on_thread_of(context, fn);
    return true;
  } catch (const std::exception &e) {
    GST_WARNING("what belongs to an OpenGL context was not given back: %s", e.what());
    return false;
  }
}

} // namespace vigil::gst
