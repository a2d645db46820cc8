// SPDX-License-Identifier: LGPL-2.1-or-later
// A reference to a GstBuffer with an owner.
#pragma once

#include <gst/gst.h>
#include <memory>

namespace vigil::gst {

struct BufferUnref {
  void operator()(GstBuffer *b) const { gst_buffer_unref(b); }
};
using BufferPtr = std::unique_ptr<GstBuffer, BufferUnref>;

} // namespace vigil::gst
