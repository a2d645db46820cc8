// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/memory/cuda_context.h"

#include "common/cuda/device.h"
#include "common/device_cast.h"
#include "common/error.h"
#include "gst/compat.h"
#include "gst/memory/cuda_grey_pool.h"
#include "gst/memory/cuda_process_context.h"
#include "gst/video/formats.h"

namespace vigil::gst {
namespace {

int device_id_of(GstCudaContext *context) {
  guint id = 0;
  g_object_get(context, "cuda-device-id", &id, nullptr);
  return static_cast<int>(id);
}

GstCudaContext *context_of(GstBuffer *buffer) {
  return GST_CUDA_MEMORY_CAST(gst_buffer_peek_memory(buffer, 0))->context;
}

// While a thread looks for a context, neighbours and the application offer it theirs on the same thread:
// GStreamer looks for it there.
thread_local const CudaContext *asking = nullptr;
thread_local GstCudaContext **found = nullptr;

// One neighbour's context is the element's from then on, if there is any in that direction.
void ask_neighbours(GstElement *element, GstPadDirection direction) {
  const auto ask = +[](GstElement *self, GstPad *pad, gpointer) -> gboolean {
    GstQuery *query = gst_query_new_context(GST_CUDA_CONTEXT_TYPE);
    GstContext *context = nullptr;
    if (gst_pad_peer_query(pad, query)) gst_query_parse_context(query, &context);
    if (context) gst_element_set_context(self, context);
    gst_query_unref(query);
    return *found == nullptr; // go on
  };
  if (direction == GST_PAD_SRC)
    gst_element_foreach_src_pad(element, ask, nullptr);
  else
    gst_element_foreach_sink_pad(element, ask, nullptr);
}

// As gst_cuda_ensure_element_context(), which would make a context for each pipeline.
void find_context(GstElement *element, int id) {
  if (!*found) ask_neighbours(element, GST_PAD_SRC);
  if (!*found) ask_neighbours(element, GST_PAD_SINK);
  if (!*found)
    gst_element_post_message(element,
                             gst_message_new_need_context(GST_OBJECT(element), GST_CUDA_CONTEXT_TYPE));
  if (*found) return;
  *found = process_cuda_context(id < 0 ? 0 : id);
  if (!*found) return;
  GstContext *context = gst_context_new_cuda_context(*found);
  gst_element_set_context(element, context);
  gst_element_post_message(element, gst_message_new_have_context(GST_OBJECT(element), context));
}

} // namespace

void CudaContext::offered(GstElement *element, GstContext *context, int id) {
  if (asking == this) {
    gst_cuda_handle_set_context(element, context, id, found);
    return;
  }
  const std::lock_guard lock(mutex_);
  gst_cuda_handle_set_context(element, context, id, &context_);
}

bool CudaContext::answer(GstElement *element, GstQuery *query) {
  GstCudaContext *context = asking == this ? *found : nullptr;
  if (context) return gst_cuda_handle_context_query(element, query, context);
  const std::lock_guard lock(mutex_);
  return gst_cuda_handle_context_query(element, query, context_);
}

std::unique_ptr<Device> CudaContext::device() {
  // the handle lives as long as GStreamer's object
  std::shared_ptr<GstCudaContext> object(GST_CUDA_CONTEXT(gst_object_ref(context_)), gst_object_unref);
  auto *handle = static_cast<CUctx_st *>(gst_cuda_context_get_handle(context_));
  return std::make_unique<CudaDevice>(std::shared_ptr<CUctx_st>(std::move(object), handle),
                                      device_id_of(context_));
}

std::unique_ptr<Device> CudaContext::open(GstElement *element, int id) {
  require_cuda_device(id < 0 ? 0 : id);
  if (!gst_cuda_load_library())
    fail(Error::Kind::no_device, "GStreamer's CUDA library does not find the NVIDIA driver that is here");
  gst_cuda_memory_init_once();
  GstCudaContext *context = nullptr;
  {
    const std::lock_guard lock(mutex_);
    // one that was offered before the device was chosen
    if (context_ && id >= 0 && device_id_of(context_) != id) gst_clear_object(&context_);
    if (context_) context = GST_CUDA_CONTEXT(gst_object_ref(context_));
  }
  asking = this;
  found = &context;
  find_context(element, id);
  asking = nullptr;
  found = nullptr;
  if (!context)
    fail(Error::Kind::no_device, "GStreamer cannot make a CUDA context on device ", id < 0 ? 0 : id,
         "; the log (GST_DEBUG=cuda*:4) says why");
  const std::lock_guard lock(mutex_);
  gst_clear_object(&context_);
  context_ = context;
  return device();
}

void CudaContext::close() {
  const std::lock_guard lock(mutex_);
  gst_clear_object(&context_);
}

bool CudaContext::owns(GstBuffer *buffer) {
  const std::lock_guard lock(mutex_);
  return context_of(buffer) == context_;
}

bool CudaContext::could_adopt(GstBuffer *buffer, int id) {
  return id < 0 || device_id_of(context_of(buffer)) == id;
}

std::unique_ptr<Device> CudaContext::adopt(GstBuffer *buffer) {
  const std::lock_guard lock(mutex_);
  gst_object_replace(reinterpret_cast<GstObject **>(&context_), GST_OBJECT(context_of(buffer)));
  return device();
}

GstBufferPool *CudaContext::make_pool(GstCaps *caps, guint min_buffers, guint &size) {
  const std::lock_guard lock(mutex_);
  GstVideoInfo info;
  if (!context_ || !gst_video_info_from_caps(&info, caps)) return nullptr;
  const bool grey = GST_VIDEO_INFO_FORMAT(&info) == GST_VIDEO_FORMAT_GRAY8;
  GstBufferPool *pool = grey ? new_cuda_grey_pool(context_) : gst_cuda_buffer_pool_new(context_);
  return configured(pool, caps, info, min_buffers, {GST_BUFFER_POOL_OPTION_VIDEO_META}, size);
}

bool CudaContext::owns(GstBufferPool *pool) {
  const std::lock_guard lock(mutex_);
  return GST_IS_CUDA_BUFFER_POOL(pool) && GST_CUDA_BUFFER_POOL(pool)->context == context_;
}

GstMapFlags cuda_map_flag() {
  return static_cast<GstMapFlags>(GST_MAP_CUDA);
}

bool is_cuda_memory(GstBuffer *buffer) {
  return gst_buffer_n_memory(buffer) > 0 && gst_is_cuda_memory(gst_buffer_peek_memory(buffer, 0));
}

void after_work_with(GstBuffer *buffer, Device &device, Queue &queue, Event &scratch) {
  const CUstream stream = stream_of(gst_buffer_peek_memory(buffer, 0));
  if (!stream) return;
  CudaQueue theirs(device_cast<CudaDevice>(device).context(), stream);
  scratch.record(theirs);
  queue.after(scratch);
}

} // namespace vigil::gst
