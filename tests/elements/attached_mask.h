// SPDX-License-Identifier: LGPL-2.1-or-later
// Masks that frames carry as metadata (attach-mask), where GStreamer (1.26) has such metadata.
#pragma once

#include "tests/elements/fixture.h"
#include "vigil-config.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#ifdef VIGIL_HAVE_ANALYTICS
#ifndef GST_USE_UNSTABLE_API
#define GST_USE_UNSTABLE_API // says that we know libgstanalytics may change
#endif
#include <gst/analytics/analytics.h>
#endif

namespace vigil::test {

#if defined(VIGIL_HAVE_ANALYTICS) && GST_CHECK_VERSION(1, 26, 0)
// Fails the test unless the frame has a mask of its own size with these bytes, whose regions are named;
// `shadow_value` is one of them, unless it is 0.
inline void expect_attached_mask(GstBuffer *b, int columns, int rows, const std::vector<std::uint8_t> &want,
                                 int shadow_value, const char *what) {
  GstAnalyticsRelationMeta *meta = gst_buffer_get_analytics_relation_meta(b);
  gpointer state = nullptr;
  GstAnalyticsSegmentationMtd regions;
  fail_unless(meta && gst_analytics_relation_meta_iterate(
                          meta, &state, gst_analytics_segmentation_mtd_get_mtd_type(), &regions),
              "%s: no mask", what);
  gint x = 1, y = 1;
  guint w = 0, h = 0;
  GstBuffer *mask = gst_analytics_segmentation_mtd_get_mask(&regions, &x, &y, &w, &h);
  fail_unless(x == 0 && y == 0 && w == guint(columns) && h == guint(rows));
  GstVideoInfo info;
  gst_video_info_set_format(&info, GST_VIDEO_FORMAT_GRAY8, w, h);
  GstVideoFrame frame;
  fail_unless(gst_video_frame_map(&frame, &info, mask, GST_MAP_READ));
  for (int row = 0; row < rows; row++) {
    const auto *is = static_cast<const std::uint8_t *>(GST_VIDEO_FRAME_PLANE_DATA(&frame, 0)) +
                     std::ptrdiff_t(row) * GST_VIDEO_FRAME_PLANE_STRIDE(&frame, 0);
    fail_unless(std::equal(is, is + columns, want.begin() + std::ptrdiff_t(row) * columns),
                "%s: row %d of the mask differs", what, row);
  }
  gst_video_frame_unmap(&frame);
  gst_buffer_unref(mask);
  gsize index = 9;
  if (shadow_value)
    fail_unless(gst_analytics_segmentation_mtd_get_region_index(&regions, &index, guint(shadow_value)) &&
                index == 2);
  else
    fail_unless_equals_int(int(gst_analytics_segmentation_mtd_get_region_count(&regions)), 2);
  fail_unless(gst_analytics_segmentation_mtd_get_region_index(&regions, &index, 255) && index == 1);
  GstAnalyticsClsMtd classes;
  fail_unless(gst_analytics_relation_meta_get_direct_related(
      meta, regions.id, GST_ANALYTICS_REL_TYPE_RELATE_TO, gst_analytics_cls_mtd_get_mtd_type(), nullptr,
      &classes));
  fail_unless_equals_string(g_quark_to_string(gst_analytics_cls_mtd_get_quark(&classes, index)),
                            "foreground");
}
#else
inline void expect_attached_mask(GstBuffer *, int, int, const std::vector<std::uint8_t> &, int,
                                 const char *) {} // a warning says that there are none
#endif

inline bool masks_can_be_attached() {
#if defined(VIGIL_HAVE_ANALYTICS) && GST_CHECK_VERSION(1, 26, 0)
  return true;
#else
  return false;
#endif
}

} // namespace vigil::test
