// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/base/gl_cuda.h"

#include "common/error.h"
#include "common/interop/cuda_gl.h"
#include "gst/base/gl.h"
#include "gst/base/gl_thread.h"

#include <algorithm>
#include <gst/gl/gstglfuncs.h>
#include <memory>
#include <optional>
#include <span>

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

// A component that lies in this plane.
int plane_component(const GstVideoInfo &info, guint plane) {
  for (guint c = 0; c < GST_VIDEO_INFO_N_COMPONENTS(&info); c++)
    if (guint(GST_VIDEO_INFO_COMP_PLANE(&info, c)) == plane) return int(c);
  return 0;
}

// The planes' textures must be no smaller than the picture.
void check_texture(GstMemory *memory, const GstVideoInfo &info, guint plane) {
  GstGLMemory *gl = GST_GL_MEMORY_CAST(memory);
  if (gst_gl_memory_get_texture_target(gl) != GST_GL_TEXTURE_TARGET_2D)
    fail(Error::Kind::bad_data, "a frame is not in a 2D texture, as its caps say");
  const int component = plane_component(info, plane);
  if (gst_gl_memory_get_texture_width(gl) < GST_VIDEO_INFO_COMP_WIDTH(&info, component) ||
      gst_gl_memory_get_texture_height(gl) < GST_VIDEO_INFO_COMP_HEIGHT(&info, component))
    fail(Error::Kind::bad_data, "a frame's texture is smaller than its caps say");
}

// Runs copy(planes) where that is possible: on the OpenGL thread, with OpenGL done with the frame.
template <class T, class Picture, class Copy>
bool with_textures(GstBuffer *buffer, const GstVideoInfo &info, Device &device, GstMapFlags flags,
                   const Picture &picture, bool ours, Copy copy) {
  if (!gl_reaches_cuda(buffer, device)) return false;
  GstGLContext *context = context_of(buffer);
  constexpr guint most = 3;
  const guint count = std::min(GST_VIDEO_INFO_N_PLANES(&info), most);
  if (gst_buffer_n_memory(buffer) < count)
    fail(Error::Kind::bad_data, "a frame has ", gst_buffer_n_memory(buffer), " textures, not ", count);
  for (guint i = 0; i < count; i++) check_texture(gst_buffer_peek_memory(buffer, i), info, i);
  on_thread_of(context, [&] {
    std::optional<Mapped> mapped[most];
    for (guint i = 0; i < count; i++) mapped[i].emplace(gst_buffer_peek_memory(buffer, i), flags);
    if (GstGLSyncMeta *sync = gst_buffer_get_gl_sync_meta(buffer)) gst_gl_sync_meta_wait(sync, context);
    if (!ours) context->gl_vtable->Finish();
    CudaGlTexture::Rows<T> planes[most];
    for (int i = 0; i < int(count); i++)
      planes[i] = {&registered(gst_buffer_peek_memory(buffer, guint(i)), mapped[i]->texture(),
                               static_cast<CudaDevice &>(device)),
                   picture.data[i], picture.stride[i],
                   std::size_t(row_bytes(picture.format, i, picture.width)), plane_rows(i, picture.height)};
    copy(std::span<const CudaGlTexture::Rows<T>>(planes, count));
  });
  return true;
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
  return with_textures<void>(buffer, info, device, GST_MAP_READ, to, false,
                             [&](auto planes) { CudaGlTexture::read(planes, queue); });
}

bool copy_to_gl(GstBuffer *buffer, const GstVideoInfo &info, Device &device, const ConstImage &from,
                Queue &queue, bool ours) {
  return with_textures<const void>(buffer, info, device, GST_MAP_WRITE, from, ours,
                                   [&](auto planes) { CudaGlTexture::write(planes, queue); });
}

} // namespace vigil::gst
