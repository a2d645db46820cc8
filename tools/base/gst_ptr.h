// SPDX-License-Identifier: LGPL-2.1-or-later
// Owners of GStreamer and GLib things.
#pragma once

#include <gst/gst.h>
#include <memory>

namespace vigil::tools {

template <auto Release>
struct Releaser {
  template <class T>
  void operator()(T *p) const {
    Release(p);
  }
};
// GStreamer's unref functions of these are inline, and so no template argument that other files share.
struct MiniRelease {
  void operator()(GstCaps *p) const { gst_caps_unref(p); }
  void operator()(GstSample *p) const { gst_sample_unref(p); }
  void operator()(GstMessage *p) const { gst_message_unref(p); }
};
template <class T>
using ObjectPtr = std::unique_ptr<T, Releaser<gst_object_unref>>;
using CapsPtr = std::unique_ptr<GstCaps, MiniRelease>;
using SamplePtr = std::unique_ptr<GstSample, MiniRelease>;
using MessagePtr = std::unique_ptr<GstMessage, MiniRelease>;
using ErrorPtr = std::unique_ptr<GError, Releaser<g_error_free>>;
using TextPtr = std::unique_ptr<char, Releaser<g_free>>;

} // namespace vigil::tools
