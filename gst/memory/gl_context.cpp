// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/memory/gl_context.h"

#include "common/error.h"
#include "gst/video/formats.h"

#include <gst/gl/gl.h>
#if GST_GL_HAVE_PLATFORM_EGL
#include <gst/gl/egl/gstgldisplay_egl.h>
#endif

namespace vigil::gst {

bool is_gl_memory(GstBuffer *buffer) {
  return gst_buffer_n_memory(buffer) > 0 && gst_is_gl_memory(gst_buffer_peek_memory(buffer, 0));
}

bool is_gl_pool(GstBufferPool *pool) {
  return GST_IS_GL_BUFFER_POOL(pool);
}

void propose_gl_sync(GstQuery *query) {
  gst_query_add_allocation_meta(query, GST_GL_SYNC_META_API_TYPE, nullptr);
}

namespace {

// While a thread looks for a display, neighbours and the application offer it theirs on the same thread:
// GStreamer looks for it there. If it finds none there, it makes a new one and gives that to all elements of
// the pipeline, which then leave the display that they had.
struct Search {
  GstGLDisplay *display = nullptr;
  GstGLContext *other = nullptr;
};
thread_local const GlContext *asking = nullptr;
thread_local Search *search = nullptr;

// Two pipelines of one process on the same EGL device.
//
// Each pipeline gets a GstGLDisplay of its own, but EGL has one EGLDisplay for a device
// (GST_GL_WINDOW=egl-device), and GStreamer terminates it with the first pipeline that goes: the contexts of
// the others are then lost ("Failed to activate the GL Context", "Failed to create a OpenGL context:
// EGL_SUCCESS") or the driver crashes in eglTerminate. Seen with GStreamer 1.22 on Mesa 22.3, without any
// element of ours; with an eglTerminate that does nothing all is well.
//
// Lets the EGLDisplay of a display on an EGL device live to the end of the process, as there is one a device
// anyway. To be called before there is a context on the display; later, and for other displays, which own
// their connection, it does nothing.
void keep_egl_device([[maybe_unused]] GstGLDisplay *display) {
#if GST_GL_HAVE_PLATFORM_EGL
  if (gst_gl_display_get_handle_type(display) != GST_GL_DISPLAY_TYPE_EGL_DEVICE ||
      g_object_get_data(G_OBJECT(display), GST_GL_DISPLAY_EGL_NAME))
    return;
  // What gst_gl_display_egl_from_gl_display() would put there, except for an EGLDisplay that is the
  // application's own: such a one is not terminated.
  gpointer egl =
      gst_gl_display_egl_get_from_native(GST_GL_DISPLAY_TYPE_EGL_DEVICE, gst_gl_display_get_handle(display));
  if (egl)
    g_object_set_data_full(G_OBJECT(display), GST_GL_DISPLAY_EGL_NAME,
                           gst_gl_display_egl_new_with_egl_display(egl), gst_object_unref);
#endif
}

} // namespace

bool takes_gl_sync(GstQuery *query) {
  return gst_query_find_allocation_meta(query, GST_GL_SYNC_META_API_TYPE, nullptr);
}

void GlContext::offered(GstContext *context) {
  if (asking == this) {
    gst_gl_handle_set_context(owner_, context, &search->display, &search->other);
    return;
  }
  Objects before;
  ObjectPtr<GstGLDisplay> display;
  {
    const std::lock_guard lock(mutex_);
    before = objects();
    gst_gl_handle_set_context(owner_, context, &display_, &other_);
    if (context_ && context_->display != display_) gst_clear_object(&context_);
    display = share(display_);
  }
  if (display) keep_egl_device(display.get());
}

bool GlContext::answer(GstQuery *query) {
  const Objects now = [&] {
    const std::lock_guard lock(mutex_);
    return objects();
  }();
  return now.display &&
         gst_gl_handle_context_query(owner_, query, now.display.get(), now.context.get(), now.other.get());
}

void GlContext::close() {
  Objects before;
  const std::lock_guard lock(mutex_);
  before = replace(nullptr, nullptr, nullptr);
  works_ = false;
}

GlContext::Objects GlContext::objects() const {
  return {share(display_), share(other_), share(context_)};
}

GlContext::Objects GlContext::replace(GstGLDisplay *display, GstGLContext *other, GstGLContext *context) {
  Objects before = objects();
  gst_object_replace(reinterpret_cast<GstObject **>(&display_), GST_OBJECT(display));
  gst_object_replace(reinterpret_cast<GstObject **>(&other_), GST_OBJECT(other));
  gst_object_replace(reinterpret_cast<GstObject **>(&context_), GST_OBJECT(context));
  return before;
}

ObjectPtr<GstGLContext> GlContext::find(std::string &why) {
  {
    const std::lock_guard lock(mutex_);
    if (context_ && works_) return share(context_);
  }
  GstGLContext *context = nullptr;
  for (const GstPadDirection side : {GST_PAD_SINK, GST_PAD_SRC})
    if (gst_gl_query_local_gl_context(owner_, side, &context) && context)
      return ObjectPtr<GstGLContext>(context);
  Search found;
  {
    const std::lock_guard lock(mutex_);
    if (context_) return share(context_);
    found.display = share(display_).release(); // by the application
    if (display_) found.other = share(other_).release();
  }
  if (!found.display) {
    asking = this;
    search = &found;
    const bool there = gst_gl_ensure_element_data(owner_, &found.display, &found.other);
    asking = nullptr;
    search = nullptr;
    if (!there || !found.display) {
      gst_clear_object(&found.other);
      why = "there is no OpenGL display";
      return nullptr;
    }
  }
  const ObjectPtr<GstGLDisplay> display(found.display);
  const ObjectPtr<GstGLContext> other(found.other);
  keep_egl_device(display.get());
  GST_OBJECT_LOCK(display.get());
  do {
    gst_clear_object(&context);
    context = gst_gl_display_get_gl_context_for_thread(display.get(), nullptr);
    GError *error = nullptr;
    if (!context && !gst_gl_display_create_context(display.get(), other.get(), &context, &error)) {
      why = std::string("there is no OpenGL context: ") + (error ? error->message : "the driver makes none");
      g_clear_error(&error);
      break;
    }
  } while (!gst_gl_display_add_context(display.get(), context));
  GST_OBJECT_UNLOCK(display.get());
  Objects before;
  {
    const std::lock_guard lock(mutex_);
    before = replace(display.get(), other.get(), context);
  }
  if (!context) GST_WARNING_OBJECT(owner_, "%s", why.c_str());
  return ObjectPtr<GstGLContext>(context);
}

ObjectPtr<GstGLContext> GlContext::use() {
  std::string why;
  ObjectPtr<GstGLContext> context = find(why);
  if (!context)
    fail(
        Error::Kind::no_device, why,
        ". Without a display set GST_GL_PLATFORM=egl and GST_GL_WINDOW=egl-device in the environment; with "
        "one, leave "
        "GST_GL_WINDOW to GStreamer or set it to what is there (x11, wayland), and install an OpenGL driver");
  follow(context.get());
  return context;
}

void GlContext::follow(GstGLContext *context) {
  ObjectPtr<GstGLContext> other;
  Objects before;
  const std::lock_guard lock(mutex_);
  if (display_ == context->display) other = share(other_);
  before = replace(context->display, other.get(), context);
  works_ = true;
}

bool GlContext::uses(GstGLContext *context) const {
  const std::lock_guard lock(mutex_);
  return works_ && context_ == context;
}

GstBufferPool *GlContext::make_pool(GstCaps *caps, guint min_buffers, guint &size, bool sync) {
  GstVideoInfo info;
  std::string why;
  const ObjectPtr<GstGLContext> context = gst_video_info_from_caps(&info, caps) ? find(why) : nullptr;
  if (!context) return nullptr;
  GstBufferPool *pool = gst_gl_buffer_pool_new(context.get());
  if (!sync) return configured(pool, caps, info, min_buffers, {GST_BUFFER_POOL_OPTION_VIDEO_META}, size);
  return configured(pool, caps, info, min_buffers,
                    {GST_BUFFER_POOL_OPTION_VIDEO_META, GST_BUFFER_POOL_OPTION_GL_SYNC_META}, size);
}

} // namespace vigil::gst
