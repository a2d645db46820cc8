// SPDX-License-Identifier: LGPL-2.1-or-later
// What an element that is not one of GStreamer's OpenGL filters needs of libgstgl. Builds without OpenGL have the same
// functions, which know of no OpenGL.
#pragma once

#include "vigil-config.h"

#include <gst/video/video.h>
#include <mutex>

typedef struct _GstGLContext GstGLContext;
typedef struct _GstGLDisplay GstGLDisplay;

namespace vigil::gst {

inline constexpr const char *gl_memory_feature = "memory:GLMemory";
// Whether caps of this kind mean frames in OpenGL textures.
bool is_gl_caps(const GstCaps *);
bool is_gl_memory(GstBuffer *);

// For pad templates: frames in 2D textures of these formats (in braces); nothing in builds without OpenGL.
#ifdef VIGIL_HAVE_GL
#define VIGIL_GL_CAPS(formats)                                                                               \
  GST_VIDEO_CAPS_MAKE_WITH_FEATURES("memory:GLMemory", formats) ", texture-target = (string) 2D;"
#else
#define VIGIL_GL_CAPS(formats) ""
#endif

// The OpenGL display and context that an element shares with its neighbours. Nothing is opened before pools are needed. All
// of it may be called from any thread.
class GlContext {
 public:
  explicit GlContext(GstElement *owner) : owner_(owner) {}
  ~GlContext() { close(); }
  GlContext(const GlContext &) = delete;
  GlContext &operator=(const GlContext &) = delete;

  // For GstElementClass.set_context and the CONTEXT query.
  void offered(GstContext *);
  bool answer(GstQuery *);
  // At READY to NULL.
  void close();

  // A pool of textures for these caps, configured, in the neighbours' OpenGL context, or a new one where there is none;
  // size gets the bytes of its buffers. Null where that fails.
  GstBufferPool *make_pool(GstCaps *, guint min_buffers, guint &size);

 private:
  GstGLContext *find(); // transfer full; null where there is none
  GstElement *owner_;
  std::mutex mutex_; // not held while neighbours are asked, who may be asking us
  GstGLDisplay *display_ = nullptr;
  GstGLContext *other_ = nullptr, *context_ = nullptr; // the application's, ours
};
// Whether it is a pool of textures.
bool is_gl_pool(GstBufferPool *);

} // namespace vigil::gst
