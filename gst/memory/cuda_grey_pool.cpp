// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/memory/cuda_grey_pool.h"

struct VigilCudaGreyPool {
  GstCudaBufferPool parent;
  int width, height;
};
struct VigilCudaGreyPoolClass {
  GstCudaBufferPoolClass parent_class;
};
G_DEFINE_TYPE(VigilCudaGreyPool, vigil_cuda_grey_pool, GST_TYPE_CUDA_BUFFER_POOL)

static VigilCudaGreyPool *grey_pool(GstBufferPool *pool) {
  return reinterpret_cast<VigilCudaGreyPool *>(pool);
}
static GstBufferPoolClass *parent_class() {
  return GST_BUFFER_POOL_CLASS(vigil_cuda_grey_pool_parent_class);
}

static gboolean set_config(GstBufferPool *pool, GstStructure *config) {
  GstCaps *caps = nullptr;
  guint size = 0, min = 0, max = 0;
  GstVideoInfo info;
  if (!gst_buffer_pool_config_get_params(config, &caps, &size, &min, &max) || !caps ||
      !gst_video_info_from_caps(&info, caps) || GST_VIDEO_INFO_FORMAT(&info) != GST_VIDEO_FORMAT_GRAY8)
    return FALSE;
  grey_pool(pool)->width = GST_VIDEO_INFO_WIDTH(&info);
  grey_pool(pool)->height = GST_VIDEO_INFO_HEIGHT(&info);
  GstCaps *packed = gst_caps_copy(caps);
  gst_caps_set_simple(packed, "format", G_TYPE_STRING, "RGBA", "width", G_TYPE_INT,
                      (GST_VIDEO_INFO_WIDTH(&info) + 3) / 4, nullptr);
  gst_structure_remove_fields(gst_caps_get_structure(packed, 0), "colorimetry", "chroma-site", nullptr);
  gst_buffer_pool_config_set_params(config, packed, size, min, max);
  const gboolean done = parent_class()->set_config(pool, config);
  gst_caps_unref(packed);
  return done;
}

static GstFlowReturn alloc_buffer(GstBufferPool *pool, GstBuffer **buffer,
                                  GstBufferPoolAcquireParams *params) {
  const GstFlowReturn flow = parent_class()->alloc_buffer(pool, buffer, params);
  if (flow != GST_FLOW_OK) return flow;
  const int width = grey_pool(pool)->width, height = grey_pool(pool)->height;
  GstVideoMeta *meta = gst_buffer_get_video_meta(*buffer);
  if (!meta) {
    gst_clear_buffer(buffer);
    return GST_FLOW_ERROR;
  }
  meta->format = GST_VIDEO_FORMAT_GRAY8;
  meta->width = static_cast<guint>(width);
  meta->height = static_cast<guint>(height);
  GstVideoInfo &info = GST_CUDA_MEMORY_CAST(gst_buffer_peek_memory(*buffer, 0))->info;
  const gsize bytes = GST_VIDEO_INFO_SIZE(&info);
  gst_video_info_set_format(&info, GST_VIDEO_FORMAT_GRAY8, meta->width, meta->height);
  info.stride[0] = meta->stride[0];
  info.size = bytes;
  return GST_FLOW_OK;
}

static void vigil_cuda_grey_pool_class_init(VigilCudaGreyPoolClass *klass) {
  GST_BUFFER_POOL_CLASS(klass)->set_config = set_config;
  GST_BUFFER_POOL_CLASS(klass)->alloc_buffer = alloc_buffer;
}
static void vigil_cuda_grey_pool_init(VigilCudaGreyPool *) {}

namespace vigil::gst {

GstBufferPool *new_cuda_grey_pool(GstCudaContext *context) {
  auto *pool = static_cast<GstCudaBufferPool *>(g_object_new(vigil_cuda_grey_pool_get_type(), nullptr));
  gst_object_ref_sink(pool);
  pool->context = GST_CUDA_CONTEXT(gst_object_ref(context));
  return GST_BUFFER_POOL_CAST(pool);
}

} // namespace vigil::gst
