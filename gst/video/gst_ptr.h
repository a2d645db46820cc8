// SPDX-License-Identifier: LGPL-2.1-or-later
// Owners of GStreamer's and GLib's objects: each releases its object once.
#pragma once

#include <gst/gst.h>
#include <memory>

namespace vigil::gst {

template <auto Function>
struct Releaser {
  template <class T>
  void operator()(T *p) const {
    Function(p);
  }
};
// GStreamer's unref functions of these are inline, and no template argument that several files can share.
struct MiniObjectUnref {
  void operator()(GstBuffer *p) const { gst_buffer_unref(p); }
  void operator()(GstCaps *p) const { gst_caps_unref(p); }
  void operator()(GstEvent *p) const { gst_event_unref(p); }
  void operator()(GstMessage *p) const { gst_message_unref(p); }
  void operator()(GstSample *p) const { gst_sample_unref(p); }
};
template <class T>
using ObjectPtr = std::unique_ptr<T, Releaser<gst_object_unref>>;
using BufferPtr = std::unique_ptr<GstBuffer, MiniObjectUnref>;
using CapsPtr = std::unique_ptr<GstCaps, MiniObjectUnref>;
using EventPtr = std::unique_ptr<GstEvent, MiniObjectUnref>;
using MessagePtr = std::unique_ptr<GstMessage, MiniObjectUnref>;
using SamplePtr = std::unique_ptr<GstSample, MiniObjectUnref>;
using StructurePtr = std::unique_ptr<GstStructure, Releaser<gst_structure_free>>;
using ErrorPtr = std::unique_ptr<GError, Releaser<g_error_free>>;
using TextPtr = std::unique_ptr<char, Releaser<g_free>>;

// One more reference to `object`. Null stays null.
template <class T>
ObjectPtr<T> share(T *object) {
  return ObjectPtr<T>(object ? static_cast<T *>(gst_object_ref(object)) : nullptr);
}

} // namespace vigil::gst
