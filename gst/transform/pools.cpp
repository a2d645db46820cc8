// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/transform/pools.h"

#include "gst/video/caps.h"
#include "gst/video/formats.h"

#include <algorithm>
#include <cstdint>

namespace vigil::gst {
namespace {

// A pool for these caps, and the size of its buffers. Null where that fails.
GstBufferPool *make_pool(CudaContext *cuda, GlContext *gl, GstCaps *caps, bool video_meta, guint min_buffers,
                         guint &size, bool gl_sync = true, bool in_textures = false) {
  if (cuda && is_cuda_caps(caps)) return cuda->make_pool(caps, min_buffers, size);
  if (gl && (in_textures || is_gl_caps(caps))) return gl->make_pool(caps, min_buffers, size, gl_sync);
  return new_video_pool(caps, video_meta, min_buffers, size);
}

// Whether frames of these caps come from pools of this kind.
bool fits(CudaContext *cuda, GlContext *gl, GstCaps *caps, GstBufferPool *pool, bool in_textures) {
  if (cuda && is_cuda_caps(caps)) return cuda->owns(pool);
  return !gl || (in_textures || is_gl_caps(caps)) == is_gl_pool(pool);
}

gsize bytes_of_frame(const GstCaps *caps) {
  GstVideoInfo info;
  return gst_video_info_from_caps(&info, caps) ? GST_VIDEO_INFO_SIZE(&info) : 0;
}

constexpr guint spare_surfaces = 4;

guint asked_for(const GstCaps *caps, guint held) {
  return (is_cuda_caps(caps) ? std::max(held, spare_surfaces) : held) + 1;
}

} // namespace

void propose_pool(CudaContext *cuda, GlContext *gl, GstQuery *query, guint held) {
  GstCaps *caps = nullptr;
  gboolean need_pool = FALSE;
  gst_query_parse_allocation(query, &caps, &need_pool);
  if (!caps) return;
  const guint buffers = asked_for(caps, held);
  guint size = 0;
  GstBufferPool *pool = need_pool ? make_pool(cuda, gl, caps, true, buffers, size) : nullptr;
  GstVideoInfo info;
  if (!size && gst_video_info_from_caps(&info, caps)) size = static_cast<guint>(GST_VIDEO_INFO_SIZE(&info));
  gst_query_add_allocation_pool(query, pool, size, buffers, 0);
  gst_clear_object(&pool);
  gst_query_add_allocation_meta(query, GST_VIDEO_META_API_TYPE, nullptr);
  if (gl && is_gl_caps(caps)) propose_gl_sync(query);
}

void propose_downstream_pool(CudaContext *cuda, GlContext *gl, GstPad *src, GstQuery *query, guint held) {
  const bool answered = gst_pad_peer_query(src, query);
  withdraw_crops(query);
  if (!answered || gst_query_get_n_allocation_pools(query) == 0) {
    propose_pool(cuda, gl, query, held);
    return;
  }
  GstCaps *caps = nullptr;
  gst_query_parse_allocation(query, &caps, nullptr);
  raise_pools(query, asked_for(caps, held));
}

void raise_pools(GstQuery *query, guint more) {
  for (guint i = 0; i < gst_query_get_n_allocation_pools(query); i++) {
    GstBufferPool *pool = nullptr;
    guint size = 0, min = 0, max = 0;
    gst_query_parse_nth_allocation_pool(query, i, &pool, &size, &min, &max);
    gst_query_set_nth_allocation_pool(query, i, max == 0 || max >= min + more ? pool : nullptr, size,
                                      min + more, max == 0 ? 0 : std::max(max, min + more));
    gst_clear_object(&pool);
  }
}

bool decide_pool(CudaContext *cuda, GlContext *gl, GstQuery *query, guint held, bool in_textures) {
  GstCaps *caps = nullptr;
  gst_query_parse_allocation(query, &caps, nullptr);
  if (!caps) return false;
  GstBufferPool *pool = nullptr;
  guint size = 0, min = 0, max = 0;
  const bool offered = gst_query_get_n_allocation_pools(query) > 0;
  if (offered) gst_query_parse_nth_allocation_pool(query, 0, &pool, &size, &min, &max);
  if (pool && size < bytes_of_frame(caps)) gst_clear_object(&pool); // its buffers would hold no frame
  if (pool && (!fits(cuda, gl, caps, pool, in_textures) || (max != 0 && max < min + held)))
    gst_clear_object(&pool);
  // A prefix or an alignment is for the host's memory. In a texture's memory, a prefix would move the address
  // at which its name is found.
  while (gl && (in_textures || is_gl_caps(caps)) && gst_query_get_n_allocation_params(query) > 0)
    gst_query_remove_nth_allocation_param(query, 0);
  const bool video_meta = gst_query_find_allocation_meta(query, GST_VIDEO_META_API_TYPE, nullptr);
  if (!pool) {
    max = 0;
    const bool gl_sync = gl && (in_textures || is_gl_caps(caps)) && takes_gl_sync(query);
    pool = make_pool(cuda, gl, caps, video_meta, min + held, size, gl_sync, in_textures);
    if (!pool) return false;
  }
  if (offered)
    gst_query_set_nth_allocation_pool(query, 0, pool, size, min + held, max);
  else
    gst_query_add_allocation_pool(query, pool, size, min + held, max);
  gst_object_unref(pool);
  return true;
}

void withdraw_crops(GstQuery *query) {
  guint at = 0;
  while (gst_query_find_allocation_meta(query, GST_VIDEO_CROP_META_API_TYPE, &at))
    gst_query_remove_nth_allocation_meta(query, at);
}

bool PoolLimit::knows(const GstBufferPool *pool) {
  const ObjectPtr<GstBufferPool> known(static_cast<GstBufferPool *>(g_weak_ref_get(&pool_)));
  return known.get() == pool && (pool || max_ == 0);
}

void PoolLimit::forget() {
  g_weak_ref_set(&pool_, nullptr);
  max_ = 0;
}

std::size_t PoolLimit::of(GstBuffer *buffer, guint others) {
  if (!knows(buffer->pool)) {
    g_weak_ref_set(&pool_, buffer->pool);
    max_ = 0;
    if (buffer->pool) {
      GstStructure *config = gst_buffer_pool_get_config(buffer->pool);
      gst_buffer_pool_config_get_params(config, nullptr, nullptr, nullptr, &max_);
      gst_structure_free(config);
    }
  }
  if (max_ == 0) return SIZE_MAX;
  return max_ > others + 1 ? max_ - others - 1 : 0;
}

void add_latency(GstBaseTransform *trans, GstQuery *query, int frames) {
  if (frames == 0) return;
  const GstClockTime ours = GstClockTime(frames) * frame_duration(GST_BASE_TRANSFORM_SINK_PAD(trans));
  gboolean live = FALSE;
  GstClockTime min = 0, max = GST_CLOCK_TIME_NONE;
  gst_query_parse_latency(query, &live, &min, &max);
  gst_query_set_latency(query, live, min + ours, GST_CLOCK_TIME_IS_VALID(max) ? max + ours : max);
}

} // namespace vigil::gst
