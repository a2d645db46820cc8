// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/video/refusal.h"

#include "gst/video/caps.h"

#include <gst/video/video.h>
#include <string>

namespace vigil::gst {
namespace {

// What the probe of an element remembers. The streaming thread alone uses it.
struct Refusals {
  GstElement *element; // which owns the pad that owns the probe
  GstCaps *last = nullptr;
};

std::string text_of(gchar *taken) {
  std::string text = taken ? taken : "";
  g_free(taken);
  return text;
}

// What these caps lack, and which element helps; empty when they are of a kind that the pad takes.
std::string remedy_for(const GstCaps *caps, const GstCaps *taken) {
  const GstStructure *s = gst_caps_get_structure(caps, 0);
  const std::string name = gst_structure_get_name(s);
  if (name != "video/x-raw")
    return "frames of " + name +
           " are not taken, only decoded ones (video/x-raw): put a decoder, such as decodebin, before";
  const GstCapsFeatures *features = gst_caps_get_features(caps, 0);
  if (features && gst_caps_features_contains(features, GST_CAPS_FEATURE_FORMAT_INTERLACED))
    return "interlaced frames, with a field in each buffer, are not taken: put the element deinterlace "
           "before "
           "this one";
  const char *converter =
      is_cuda_caps(caps) ? "cudaconvert"
      : is_gl_caps(caps) ? "glcolorconvert"
      : !features || gst_caps_features_is_equal(features, GST_CAPS_FEATURES_MEMORY_SYSTEM_MEMORY)
          ? "videoconvert"
          : nullptr;
  GstCaps *memory = gst_caps_new_empty_simple("video/x-raw");
  if (features) gst_caps_set_features(memory, 0, gst_caps_features_copy(features));
  const bool memory_taken = gst_caps_can_intersect(memory, taken);
  gst_caps_unref(memory);
  if (!converter || !memory_taken)
    return "frames in " +
           (features ? text_of(gst_caps_features_to_string(features)) : std::string("this memory")) +
           " are not taken: put the element before that brings them to system memory (cudadownload, "
           "gldownload, vapostproc or "
           "whichever belongs to it)";
  const char *format = gst_structure_get_string(s, "format");
  return "the format " + std::string(format ? format : "of these frames") +
         " is not taken: put the element " + converter + " before this one";
}

void explain(Refusals &refusals, GstPad *pad, GstCaps *caps) {
  if (refusals.last && gst_caps_is_strictly_equal(refusals.last, caps)) return;
  if (gst_pad_query_accept_caps(pad, caps)) return;
  gst_caps_replace(&refusals.last, caps);
  GstCaps *taken = gst_pad_get_pad_template_caps(pad);
  const std::string why =
      gst_caps_can_intersect(caps, taken)
          ? "this element's settings, or the next element, rule out frames that the element takes otherwise"
          : remedy_for(caps, taken);
  GST_ELEMENT_ERROR(refusals.element, CORE, NEGOTIATION, ("%s", why.c_str()),
                    ("refused: %s; taken: %s", text_of(gst_caps_to_string(caps)).c_str(),
                     text_of(gst_caps_to_string(taken)).c_str()));
  gst_caps_unref(taken);
}

GstPadProbeReturn look(GstPad *pad, GstPadProbeInfo *info, gpointer data) {
  auto &refusals = *static_cast<Refusals *>(data);
  GstEvent *event = GST_PAD_PROBE_INFO_EVENT(info);
  if (GST_EVENT_TYPE(event) == GST_EVENT_STREAM_START) gst_caps_replace(&refusals.last, nullptr);
  if (GST_EVENT_TYPE(event) == GST_EVENT_CAPS) {
    GstCaps *caps = nullptr;
    gst_event_parse_caps(event, &caps);
    explain(refusals, pad, caps);
  }
  return GST_PAD_PROBE_OK;
}

} // namespace

void explain_refused_caps(GstElement *element) {
  GstPad *sink = gst_element_get_static_pad(element, "sink");
  gst_pad_add_probe(sink, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, look, new Refusals{element},
                    [](gpointer data) {
                      auto *refusals = static_cast<Refusals *>(data);
                      gst_caps_replace(&refusals->last, nullptr);
                      delete refusals;
                    });
  gst_object_unref(sink);
}

} // namespace vigil::gst
