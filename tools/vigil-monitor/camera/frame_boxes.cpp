// SPDX-License-Identifier: LGPL-2.1-or-later
#include "frame_boxes.h"

#include "common/guarded.h"

#include <algorithm>
#include <cstring>
#include <gst/video/video.h>

namespace vigil::monitor {
namespace {

// Detections of GstAnalytics are the same boxes.
gboolean drop_box(GstBuffer *, GstMeta **meta, gpointer) {
  static const GQuark analytics = g_quark_from_static_string("GstAnalyticsRelationMetaAPI");
  const GType api = (*meta)->info->api;
  if (api == GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE || g_type_qname(api) == analytics) *meta = nullptr;
  return TRUE;
}

} // namespace

FrameBoxes motion_boxes(GstBuffer *buffer, int width, int height) {
  const double w = std::max(1, width), h = std::max(1, height);
  FrameBoxes found;
  gpointer state = nullptr;
  while (auto *meta = reinterpret_cast<GstVideoRegionOfInterestMeta *>(
             gst_buffer_iterate_meta_filtered(buffer, &state, GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE))) {
    if (meta->roi_type != g_quark_from_static_string("motion")) continue;
    found.boxes.push_back({meta->x / w, meta->y / h, meta->w / w, meta->h / h});
    found.area += found.boxes.back().width * found.boxes.back().height;
  }
  return found;
}

void drop_boxes(GstBuffer *buffer) {
  gst_buffer_foreach_meta(buffer, guarded<drop_box, TRUE>, nullptr);
}

std::optional<FrameScores> fisher_scores(GstBuffer *buffer) {
  auto *custom =
      gst_meta_get_info("vigil-fisher") ? gst_buffer_get_custom_meta(buffer, "vigil-fisher") : nullptr;
  if (!custom) return std::nullopt;
  GstStructure *s = gst_custom_meta_get_structure(custom);
  const GValue *classes = gst_structure_get_value(s, "classes"),
               *smoothed = gst_structure_get_value(s, "smoothed"),
               *vector = gst_structure_get_value(s, "vector");
  FrameScores found;
  if (classes && smoothed && GST_VALUE_HOLDS_ARRAY(classes) && GST_VALUE_HOLDS_ARRAY(smoothed))
    for (guint i = 0; i < std::min(gst_value_array_get_size(classes), gst_value_array_get_size(smoothed));
         i++)
      found.scores[g_value_get_string(gst_value_array_get_value(classes, i))] =
          g_value_get_double(gst_value_array_get_value(smoothed, i));
  if (vector && G_VALUE_HOLDS(vector, G_TYPE_BYTES)) {
    gsize size = 0;
    const void *data = g_bytes_get_data(static_cast<GBytes *>(g_value_get_boxed(vector)), &size);
    found.vector.resize(size / sizeof(float));
    if (!found.vector.empty()) std::memcpy(found.vector.data(), data, found.vector.size() * sizeof(float));
  }
  return found;
}

} // namespace vigil::monitor
