// SPDX-License-Identifier: LGPL-2.1-or-later
// What an element that is not one of GStreamer's OpenGL filters needs of libgstgl. Builds without OpenGL have
// the same functions, which know of no OpenGL.
#pragma once

#include "gst/video/gst_ptr.h"

#include <gst/video/video.h>
#include <mutex>
#include <string>

typedef struct _GstGLContext GstGLContext;
typedef struct _GstGLDisplay GstGLDisplay;

namespace vigil::gst {

bool is_gl_memory(GstBuffer *);

// The OpenGL display and context that an element shares with its neighbours. Nothing is opened before pools
// are needed. All of it may be called from any thread.
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

  // A pool of textures for these caps, configured, in the neighbours' OpenGL context, or a new one where
  // there is none; size gets the bytes of its buffers. `sync`: they have a GstGLSyncMeta. Null where that
  // fails.
  GstBufferPool *make_pool(GstCaps *, guint min_buffers, guint &size, bool sync);

  // For elements that work in OpenGL: the context that they work in, which is found among neighbours or made.
  // It stays, and pools are made in it, until follow(), close(), or until the element is given another
  // display. Throws Error::no_device, and says what to do.
  ObjectPtr<GstGLContext> use();
  void follow(GstGLContext *); // works in this one from now on
  bool uses(GstGLContext *) const;

 private:
  ObjectPtr<GstGLContext> find(std::string &why); // null where there is none, and why
  struct Objects {
    ObjectPtr<GstGLDisplay> display;
    ObjectPtr<GstGLContext> other, context;
  };
  // What is there now. The caller of these holds mutex_, and keeps what it gets until the lock is open.
  Objects objects() const;
  Objects replace(GstGLDisplay *, GstGLContext *other, GstGLContext *);

  // Not held while neighbours are asked, who may be asking us, nor while an object goes: who hears of that
  // may ask us, too.
  mutable std::mutex mutex_;
  GstElement *owner_;
  GstGLDisplay *display_ = nullptr;
  GstGLContext *other_ = nullptr, *context_ = nullptr; // the application's, ours
  bool works_ = false;                                 // in context_
};
// Whether it is a pool of textures.
bool is_gl_pool(GstBufferPool *);
// Tells upstream that frames in textures may say when they are drawn (GstGLSyncMeta), which other contexts
// wait for.
void propose_gl_sync(GstQuery *);
// Whether downstream has said that. GStreamer's gldownload (1.22) trips over such metadata where it has not.
bool takes_gl_sync(GstQuery *);

} // namespace vigil::gst
