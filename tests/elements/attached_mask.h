// SPDX-License-Identifier: LGPL-2.1-or-later
// Masks that frames carry as metadata (attach-mask): of GstAnalytics where GStreamer (1.26) has it, otherwise
// custom.
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

// Fails the test unless the mask has these bytes.
inline void expect_mask_bytes(GstBuffer *mask, guint columns, guint rows,
                              const std::vector<std::uint8_t> &want, const char *what) {
  GstVideoInfo info;
  gst_video_info_set_format(&info, GST_VIDEO_FORMAT_GRAY8, columns, rows);
  GstVideoFrame frame;
  fail_unless(gst_video_frame_map(&frame, &info, mask, GST_MAP_READ));
  for (guint row = 0; row < rows; row++) {
    const auto *is = static_cast<const std::uint8_t *>(GST_VIDEO_FRAME_PLANE_DATA(&frame, 0)) +
                     std::ptrdiff_t(row) * GST_VIDEO_FRAME_PLANE_STRIDE(&frame, 0);
    fail_unless(std::equal(is, is + columns, want.begin() + std::ptrdiff_t(row) * columns),
                "%s: row %u of the mask differs", what, row);
  }
  gst_video_frame_unmap(&frame);
}

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
  expect_mask_bytes(mask, w, h, want, what);
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
// Fails the test unless the frame has a mask of its own size with these bytes, and this value of shadows.
inline void expect_attached_mask(GstBuffer *b, int columns, int rows, const std::vector<std::uint8_t> &want,
                                 int shadow_value, const char *what) {
  GstCustomMeta *meta = gst_buffer_get_custom_meta(b, "vigil-mask");
  fail_unless(meta != nullptr, "%s: no mask", what);
  GstBuffer *mask = nullptr;
  guint value = 1;
  fail_unless(gst_structure_get(gst_custom_meta_get_structure(meta), "mask", GST_TYPE_BUFFER, &mask,
                                "shadow-value", G_TYPE_UINT, &value, nullptr));
  fail_unless_equals_int(int(value), shadow_value);
  const GstVideoMeta *size = gst_buffer_get_video_meta(mask);
  fail_unless(size && size->width == guint(columns) && size->height == guint(rows));
  expect_mask_bytes(mask, size->width, size->height, want, what);
  gst_buffer_unref(mask);
}
#endif

} // namespace vigil::test
