// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pace.h"

#include "gst/video/gst_ptr.h"

#include <string_view>

namespace vigil::monitor {
namespace {

bool any_element(GstBin *bin, GstIterator *(*iterate)(GstBin *), bool (*is)(GstElement *)) {
  GstIterator *all = iterate(bin);
  GValue item = G_VALUE_INIT;
  bool found = false, more = true;
  while (more && !found) switch (gst_iterator_next(all, &item)) {
    case GST_ITERATOR_OK:
      found = is(GST_ELEMENT(g_value_get_object(&item)));
      g_value_reset(&item);
      break;
    case GST_ITERATOR_RESYNC:
      gst_iterator_resync(all);
      break;
    default:
      more = false;
    }
  g_value_unset(&item);
  gst_iterator_free(all);
  return found;
}

// Takes a playlist, whose length in bytes says nothing of the stream's.
bool is_adaptive(GstElement *e) {
  GstElementFactory *factory = gst_element_get_factory(e);
  const char *klass =
      factory ? gst_element_factory_get_metadata(factory, GST_ELEMENT_METADATA_KLASS) : nullptr;
  return klass && std::string_view(klass).find("Adaptive") != std::string_view::npos;
}

bool knows_bytes(GstElement *e) {
  const gst::ObjectPtr<GstPad> pad(gst_element_get_static_pad(e, "src"));
  gint64 bytes = 0;
  return pad && gst_pad_query_duration(pad.get(), GST_FORMAT_BYTES, &bytes) && bytes > 0;
}

bool is_live(GstPad *pad) {
  GstQuery *query = gst_query_new_latency();
  gboolean live = FALSE;
  if (gst_pad_query(pad, query)) gst_query_parse_latency(query, &live, nullptr, nullptr);
  gst_query_unref(query);
  return live;
}

} // namespace

bool is_recording(GstPad *pad, GstBin *pipeline) {
  if (is_live(pad)) return false;
  gint64 length = 0;
  if (gst_pad_query_duration(pad, GST_FORMAT_TIME, &length)) return length > 0;
  return !any_element(pipeline, gst_bin_iterate_recurse, is_adaptive) &&
         any_element(pipeline, gst_bin_iterate_sources, knows_bytes);
}

} // namespace vigil::monitor
