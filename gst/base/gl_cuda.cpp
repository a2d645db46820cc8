// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/base/gl_cuda.h"

#include "common/error.h"
#include "common/interop/cuda_gl.h"
#include "gst/base/gl.h"
#include "gst/base/gl_thread.h"

#include <gst/gl/gstglfuncs.h>
#include <memory>

namespace vigil::gst {
namespace {

GstGLContext *context_of(GstBuffer *buffer) {
  if (!is_gl_memory(buffer))
    fail(Error::Kind::bad_data, "the caps promise OpenGL memory, but this frame is not in OpenGL memory");
  return GST_GL_BASE_MEMORY_CAST(gst_buffer_peek_memory(buffer, 0))->context;
}

// A texture that CUDA knows, for as long as its memory lives.
struct Registered {
  GstGLContext *context;
  std::unique_ptr<CudaGlTexture> texture;
};

// The memory goes; its texture is still there. Any thread.
void unregister(gpointer data) {
  auto *r = static_cast<Registered *>(data);
  on_thread_of(r->context, [&] { r->texture.reset(); });
  gst_object_unref(r->context);
  delete r;
}

// On the thread of the memory's context, so that no two do this at once.
CudaGlTexture &registered(GstMemory *memory, GLuint id, CudaDevice &device) {
  static const GQuark quark = g_quark_from_static_string("vigil-cuda-texture");
  auto *r = static_cast<Registered *>(gst_mini_object_get_qdata(GST_MINI_OBJECT_CAST(memory), quark));
  if (!r) {
    auto *context = GST_GL_CONTEXT(gst_object_ref(GST_GL_BASE_MEMORY_CAST(memory)->context));
    r = new Registered{context, nullptr};
    gst_mini_object_set_qdata(GST_MINI_OBJECT_CAST(memory), quark, r, unregister);
  }
  if (!r->texture || r->texture->context() != device.context() || r->texture->texture() != id) {
    r->texture.reset();
    r->texture = std::make_unique<CudaGlTexture>(device.shared_context(), id);
  }
  return *r->texture;
}

// A memory's texture, while it is mapped for OpenGL: what the host wrote has been uploaded then. The memory is mapped, not
// the buffer, which may have several owners by now.
class Mapped {
 public:
  Mapped(GstMemory *memory, GstMapFlags flags) : memory_(memory) {
    if (!gst_memory_map(memory, &map_, static_cast<GstMapFlags>(int(flags) | GST_MAP_GL)))
      fail(Error::Kind::bad_data, "a frame's OpenGL memory cannot be mapped");
  }
  ~Mapped() { gst_memory_unmap(memory_, &map_); }
  Mapped(const Mapped &) = delete;
  Mapped &operator=(const Mapped &) = delete;
  GLuint texture() const { return *reinterpret_cast<const GLuint *>(map_.data); }

 private:
  GstMemory *memory_;
  GstMapInfo map_{};
};

// Runs copy(texture) where that is possible: on the OpenGL thread, with OpenGL done with the frame.
template <class Copy>
bool with_texture(GstBuffer *buffer, const GstVideoInfo &info, Device &device, GstMapFlags flags, Copy copy) {
  if (!gl_reaches_cuda(buffer, device)) return false;
  GstGLContext *context = context_of(buffer);
  GstMemory *memory = gst_buffer_peek_memory(buffer, 0);
  if (gst_gl_memory_get_texture_target(GST_GL_MEMORY_CAST(memory)) != GST_GL_TEXTURE_TARGET_2D)
    fail(Error::Kind::bad_data, "a frame is not in a 2D texture, as its caps say");
  if (gst_gl_memory_get_texture_width(GST_GL_MEMORY_CAST(memory)) < GST_VIDEO_INFO_WIDTH(&info) ||
      gst_gl_memory_get_texture_height(GST_GL_MEMORY_CAST(memory)) < GST_VIDEO_INFO_HEIGHT(&info))
    fail(Error::Kind::bad_data, "a frame's texture is smaller than its caps say");
  on_thread_of(context, [&] {
    const Mapped mapped(memory, flags);
    if (GstGLSyncMeta *sync = gst_buffer_get_gl_sync_meta(buffer)) gst_gl_sync_meta_wait(sync, context);
    context->gl_vtable->Finish();
    copy(registered(memory, mapped.texture(), static_cast<CudaDevice &>(device)));
  });
  return true;
}

std::size_t bytes_of_row(const GstVideoInfo &info) {
  return std::size_t(GST_VIDEO_INFO_COMP_PSTRIDE(&info, 0)) * std::size_t(GST_VIDEO_INFO_WIDTH(&info));
}

} // namespace

bool gl_reaches_cuda(GstBuffer *buffer, Device &device) {
  GstGLContext *context = context_of(buffer);
  if (device.backend() != Backend::cuda) return false;
  const int id = static_cast<CudaDevice &>(device).id();
  // The answer, for the device that asked last: its number and whether it is the same GPU.
  static const GQuark quark = g_quark_from_static_string("vigil-cuda-device");
  const auto mark = [&](bool same) { return GINT_TO_POINTER(2 * id + 1 + (same ? 1 : 0)); };
  gpointer known = g_object_get_qdata(G_OBJECT(context), quark);
  if (known != mark(true) && known != mark(false)) {
    bool same = false;
    on_thread_of(context, [&] {
      const CudaScope scope = static_cast<CudaDevice &>(device).enter();
      same = gl_is_on_cuda_device(id);
    });
    known = mark(same);
    g_object_set_qdata(G_OBJECT(context), quark, known);
  }
  return known == mark(true);
}

bool copy_from_gl(GstBuffer *buffer, const GstVideoInfo &info, Device &device, const Image &to,
                  Queue &queue) {
  return with_texture(buffer, info, device, GST_MAP_READ, [&](CudaGlTexture &t) {
    t.read(to.data[0], to.stride[0], bytes_of_row(info), to.height, queue);
  });
}

bool copy_to_gl(GstBuffer *buffer, const GstVideoInfo &info, Device &device, const ConstImage &from,
                Queue &queue) {
  return with_texture(buffer, info, device, GST_MAP_WRITE, [&](CudaGlTexture &t) {
    t.write(from.data[0], from.stride[0], bytes_of_row(info), from.height, queue);
  });
}

} // namespace vigil::gst
