// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/memory/gl_context.h"

#include "gst/frames/formats.h"
#include "gst/memory/gl_display.h"

#include <gst/gl/gl.h>

namespace vigil::gst {

bool is_gl_caps(const GstCaps *caps) {
  if (gst_caps_is_empty(caps)) return false;
  const GstCapsFeatures *features = gst_caps_get_features(caps, 0);
  return features && gst_caps_features_contains(features, gl_memory_feature);
}

bool is_gl_memory(GstBuffer *buffer) {
  return gst_buffer_n_memory(buffer) > 0 && gst_is_gl_memory(gst_buffer_peek_memory(buffer, 0));
}

bool is_gl_pool(GstBufferPool *pool) {
  return GST_IS_GL_BUFFER_POOL(pool);
}

void GlContext::offered(GstContext *context) {
  const std::lock_guard lock(mutex_);
  gst_gl_handle_set_context(owner_, context, &display_, &other_);
  if (display_) keep_egl_device(display_);
  if (context_ && context_->display != display_) gst_clear_object(&context_);
}

bool GlContext::answer(GstQuery *query) {
  const std::lock_guard lock(mutex_);
  return display_ && gst_gl_handle_context_query(owner_, query, display_, context_, other_);
}

void GlContext::close() {
  const std::lock_guard lock(mutex_);
  gst_clear_object(&context_);
  gst_clear_object(&other_);
  gst_clear_object(&display_);
}

GstGLContext *GlContext::find() {
  GstGLContext *context = nullptr;
  for (const GstPadDirection side : {GST_PAD_SINK, GST_PAD_SRC})
    if (gst_gl_query_local_gl_context(owner_, side, &context) && context) return context;
  {
    const std::lock_guard lock(mutex_);
    if (context_) return GST_GL_CONTEXT(gst_object_ref(context_));
  }
  GstGLDisplay *display = nullptr;
  GstGLContext *other = nullptr;
  const auto take_what_was_offered = [&] {
    const std::lock_guard lock(mutex_);
    if (!display_) return;
    gst_object_replace(reinterpret_cast<GstObject **>(&display), GST_OBJECT(display_));
    gst_object_replace(reinterpret_cast<GstObject **>(&other), GST_OBJECT(other_));
  };
  take_what_was_offered(); // by the application
  if (!display && !gst_gl_ensure_element_data(owner_, &display, &other)) return nullptr;
  take_what_was_offered(); // by those who were asked
  keep_egl_device(display);
  GST_OBJECT_LOCK(display);
  do {
    gst_clear_object(&context);
    context = gst_gl_display_get_gl_context_for_thread(display, nullptr);
    GError *error = nullptr;
    if (!context && !gst_gl_display_create_context(display, other, &context, &error)) {
      GST_WARNING_OBJECT(owner_, "there is no OpenGL context for frames: %s", error->message);
      g_clear_error(&error);
      break;
    }
  } while (!gst_gl_display_add_context(display, context));
  GST_OBJECT_UNLOCK(display);
  const std::lock_guard lock(mutex_);
  gst_object_replace(reinterpret_cast<GstObject **>(&display_), GST_OBJECT(display));
  gst_object_replace(reinterpret_cast<GstObject **>(&other_), GST_OBJECT(other));
  gst_object_replace(reinterpret_cast<GstObject **>(&context_), GST_OBJECT(context));
  gst_clear_object(&display);
  gst_clear_object(&other);
  return context;
}

GstBufferPool *GlContext::make_pool(GstCaps *caps, guint min_buffers, guint &size) {
  GstVideoInfo info;
  GstGLContext *context = gst_video_info_from_caps(&info, caps) ? find() : nullptr;
  if (!context) return nullptr;
  GstBufferPool *pool = gst_gl_buffer_pool_new(context);
  gst_object_unref(context);
  return configured(pool, caps, info, min_buffers,
                    {GST_BUFFER_POOL_OPTION_VIDEO_META, GST_BUFFER_POOL_OPTION_GL_SYNC_META}, size);
}

} // namespace vigil::gst
