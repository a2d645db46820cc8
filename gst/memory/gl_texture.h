// SPDX-License-Identifier: LGPL-2.1-or-later
// The textures of a frame in OpenGL memory, and what other APIs make of them.
#pragma once

#include "gst/memory/gl_thread.h"

#include <gst/video/video.h>
#include <memory>

namespace vigil::gst {

// The OpenGL context of the frame's textures. Throws Error::bad_data when it has none, though its caps
// promise them.
GstGLContext *gl_context_of(GstBuffer *);
// Throws Error::bad_data when a plane's memory is not a 2D texture, or smaller than the picture.
void check_texture(GstMemory *, const GstVideoInfo &, guint plane);

// A memory's texture, while it is mapped for OpenGL: what the host wrote has been uploaded then. The memory
// is mapped, not the buffer, which may have several owners by now. Throws Error::bad_data.
class MappedTexture {
 public:
  MappedTexture(GstMemory *, GstMapFlags);
  ~MappedTexture();
  MappedTexture(const MappedTexture &) = delete;
  MappedTexture &operator=(const MappedTexture &) = delete;
  unsigned texture() const { return *reinterpret_cast<const unsigned *>(map_.data); }

 private:
  GstMemory *memory_;
  GstMapInfo map_{};
};

// What another API made of a memory's texture is kept with the memory: `fits` says of what is there whether
// it is still good, `make` makes it again. It goes with the memory, when the texture is still there, on the
// thread of the texture's context. To be called on that thread, so that no two do this at once.
template <class T, class Fits, class Make>
T &kept_with(GstMemory *memory, GQuark name, Fits fits, Make make) {
  struct Kept {
    GstGLContext *context;
    std::unique_ptr<T> thing;
  };
  auto *kept = static_cast<Kept *>(gst_mini_object_get_qdata(GST_MINI_OBJECT_CAST(memory), name));
  if (!kept) {
    auto *context = GST_GL_CONTEXT(gst_object_ref(GST_GL_BASE_MEMORY_CAST(memory)->context));
    kept = new Kept{context, nullptr};
    gst_mini_object_set_qdata(GST_MINI_OBJECT_CAST(memory), name, kept, [](gpointer data) { // any thread
      auto *k = static_cast<Kept *>(data);
      if (!give_back_on_thread_of(k->context, [&] { k->thing.reset(); }))
        static_cast<void>(k->thing.release());
      gst_object_unref(k->context);
      delete k;
    });
  }
  if (!kept->thing || !fits(*kept->thing)) {
    kept->thing.reset();
    kept->thing = make();
  }
  return *kept->thing;
}

} // namespace vigil::gst
