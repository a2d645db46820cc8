// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/base/allocation.h"

#include <gst/video/gstvideopool.h>

namespace vigil::gst {
namespace {

// A pool for these caps, and the size of its buffers. Null where that fails.
GstBufferPool *make_pool(CudaContext &cuda, GstCaps *caps, bool video_meta, guint min_buffers, guint &size) {
  if (is_cuda_caps(caps)) return cuda.make_pool(caps, min_buffers, size);
  GstVideoInfo info;
  if (!gst_video_info_from_caps(&info, caps)) return nullptr;
  size = static_cast<guint>(GST_VIDEO_INFO_SIZE(&info));
  GstBufferPool *pool = gst_video_buffer_pool_new();
  GstStructure *config = gst_buffer_pool_get_config(pool);
  gst_buffer_pool_config_set_params(config, caps, size, min_buffers, 0);
  if (video_meta) gst_buffer_pool_config_add_option(config, GST_BUFFER_POOL_OPTION_VIDEO_META);
  if (!gst_buffer_pool_set_config(pool, config)) gst_clear_object(&pool);
  return pool;
}

} // namespace

void propose_pool(CudaContext &cuda, GstQuery *query, guint buffers) {
  GstCaps *caps = nullptr;
  gboolean need_pool = FALSE;
  gst_query_parse_allocation(query, &caps, &need_pool);
  if (!caps) return;
  guint size = 0;
  GstBufferPool *pool = need_pool ? make_pool(cuda, caps, true, buffers, size) : nullptr;
  GstVideoInfo info;
  if (!size && gst_video_info_from_caps(&info, caps)) size = static_cast<guint>(GST_VIDEO_INFO_SIZE(&info));
  gst_query_add_allocation_pool(query, pool, size, buffers, 0);
  gst_clear_object(&pool);
  gst_query_add_allocation_meta(query, GST_VIDEO_META_API_TYPE, nullptr);
}

bool decide_pool(CudaContext &cuda, GstQuery *query, guint held) {
  GstCaps *caps = nullptr;
  gst_query_parse_allocation(query, &caps, nullptr);
  if (!caps) return false;
  GstBufferPool *pool = nullptr;
  guint size = 0, min = 0, max = 0;
  const bool offered = gst_query_get_n_allocation_pools(query) > 0;
  if (offered) gst_query_parse_nth_allocation_pool(query, 0, &pool, &size, &min, &max);
  if (pool && ((is_cuda_caps(caps) && !cuda.owns(pool)) || (max != 0 && max < min + held)))
    gst_clear_object(&pool);
  const bool video_meta = gst_query_find_allocation_meta(query, GST_VIDEO_META_API_TYPE, nullptr);
  if (!pool) {
    max = 0;
    pool = make_pool(cuda, caps, video_meta, min + held, size);
    if (!pool) return false;
  }
  if (offered)
    gst_query_set_nth_allocation_pool(query, 0, pool, size, min + held, max);
  else
    gst_query_add_allocation_pool(query, pool, size, min + held, max);
  gst_object_unref(pool);
  return true;
}

void add_latency(GstBaseTransform *trans, GstQuery *query, int frames) {
  if (frames == 0) return;
  double seconds = usual_frame_seconds;
  if (GstCaps *caps = gst_pad_get_current_caps(GST_BASE_TRANSFORM_SINK_PAD(trans))) {
    GstVideoInfo info;
    if (gst_video_info_from_caps(&info, caps) && info.fps_n > 0) seconds = double(info.fps_d) / info.fps_n;
    gst_caps_unref(caps);
  }
  const auto ours = GstClockTime(frames * seconds * GST_SECOND);
  gboolean live = FALSE;
  GstClockTime min = 0, max = GST_CLOCK_TIME_NONE;
  gst_query_parse_latency(query, &live, &min, &max);
  gst_query_set_latency(query, live, min + ours, GST_CLOCK_TIME_IS_VALID(max) ? max + ours : max);
}

} // namespace vigil::gst
