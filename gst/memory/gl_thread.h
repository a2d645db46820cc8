// SPDX-License-Identifier: LGPL-2.1-or-later
// Work on the thread of an OpenGL context.
#pragma once

#include <exception>
#include <gst/gl/gl.h>

namespace vigil::gst {

// Runs fn() on the thread of an OpenGL context and waits for it; what it throws is thrown here.
template <class Fn>
void on_thread_of(GstGLContext *context, Fn fn) {
  struct Call {
    Fn &fn;
    std::exception_ptr error;
  } call{fn, nullptr};
  gst_gl_context_thread_add(
      context,
      [](GstGLContext *, gpointer data) {
        auto *c = static_cast<Call *>(data);
        try {
          c->fn();
        } catch (...) {
          c->error = std::current_exception();
        }
      },
      &call);
  if (call.error) std::rethrow_exception(call.error);
}

} // namespace vigil::gst
