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
template <class T>
using ObjectPtr = std::unique_ptr<T, Releaser<gst_object_unref>>;
using CapsPtr = std::unique_ptr<GstCaps, Releaser<gst_caps_unref>>;
using SamplePtr = std::unique_ptr<GstSample, Releaser<gst_sample_unref>>;
using MessagePtr = std::unique_ptr<GstMessage, Releaser<gst_message_unref>>;
using StructurePtr = std::unique_ptr<GstStructure, Releaser<gst_structure_free>>;
using ErrorPtr = std::unique_ptr<GError, Releaser<g_error_free>>;
using TextPtr = std::unique_ptr<char, Releaser<g_free>>;

} // namespace vigil::tools
