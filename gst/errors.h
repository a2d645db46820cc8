// SPDX-License-Identifier: LGPL-2.1-or-later
// No exception may pass from C++ into GStreamer: here they become messages on the bus.
#pragma once

#include <exception>
#include <gst/gst.h>

namespace vigil::gst {

// Posts an element error, or warning, whose domain and code say what the exception's kind means (see
// common/error.h) and whose text is the exception's own.
void post_error(GstElement *, const std::exception &);
void post_warning(GstElement *, const std::exception &);

// Returns what fn() returns, or `failed` after posting the error that it threw.
template <class R, class Fn>
R guard(gpointer element, R failed, Fn &&fn) noexcept {
  try {
    return fn();
  } catch (const std::exception &e) {
    post_error(GST_ELEMENT_CAST(element), e);
    return failed;
  }
}

// For frames that come before any caps: says so on the bus, and that a filter of caps or a parser helps.
GstFlowReturn refuse_without_caps(GstElement *);
// Throws Error::device for frames that arrive after a failed change of device. The error of that change has
// already been posted.
[[noreturn]] void fail_without_device();

} // namespace vigil::gst
