// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/base/gl_cuda.h"

#include "common/error.h"
#include "common/interop/cuda_gl.h"
#include "gst/base/gl.h"
#include "gst/base/gl_handover.h"
#include "gst/base/gl_thread.h"

#include <algorithm>
#include <gst/gl/gstglfuncs.h>
#include <memory>
#include <optional>

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

constexpr guint most_planes = 3;

// A frame's textures, in the order of its planes.
class Textures final : public Handover {
 public:
  // Throws when the frame is not what `info` says.
  Textures(GstBuffer *buffer, const GstVideoInfo &info, GstMapFlags flags, CudaDevice &with, Queue &queue)
      : Handover(with, queue), buffer_(buffer), flags_(flags),
        count_(std::min(GST_VIDEO_INFO_N_PLANES(&info), most_planes)) {
    if (gst_buffer_n_memory(buffer) < count_)
      fail(Error::Kind::bad_data, "a frame has ", gst_buffer_n_memory(buffer), " textures, not ", count_);
    for (guint i = 0; i < count_; i++) check_texture(gst_buffer_peek_memory(buffer, i), info, i);
    picture.count = int(count_);
  }
  // What is in CUDA's memory: `side` is where its planes are entered.
  template <class Other, class Plane>
  void other(const Other &memory, Plane CudaGlCopies::Rows::*side) {
    for (int i = 0; i < picture.count; i++) {
      CudaGlCopies::Rows &r = picture.planes[i];
      r.*side = memory.data[i];
      r.stride = memory.stride[i];
      r.bytes = std::size_t(row_bytes(memory.format, i, memory.width));
      r.count = plane_rows(i, memory.height);
    }
  }
  void open() override {
    for (guint i = 0; i < count_; i++) {
      GstMemory *memory = gst_buffer_peek_memory(buffer_, i);
      mapped_[i].emplace(memory, flags_);
      picture.planes[i].texture = &registered(memory, mapped_[i]->texture(), cuda);
    }
    GstGLSyncMeta *sync = gst_buffer_get_gl_sync_meta(buffer_);
    if (sync) gst_gl_sync_meta_wait(sync, context_of(buffer_));
  }
  void close() noexcept override {
    for (auto &m : mapped_) m.reset();
    if (!done || picture.error) return;
    try {
      done->record(*picture.queue);
    } catch (...) {
      picture.error = std::current_exception();
    }
  }
  Event *done = nullptr; // recorded behind the copies

 private:
  GstBuffer *buffer_;
  GstMapFlags flags_;
  guint count_;
  std::optional<Mapped> mapped_[most_planes];
};

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
  if (!gl_reaches_cuda(buffer, device)) return false;
  Textures textures(buffer, info, GST_MAP_READ, static_cast<CudaDevice &>(device), queue);
  textures.other(to, &CudaGlCopies::Rows::to);
  hand_over(context_of(buffer), textures);
  return true;
}

bool copy_to_gl(GstBuffer *buffer, const GstVideoInfo &info, Device &device, const ConstImage &from,
                Queue &queue) {
  if (!gl_reaches_cuda(buffer, device)) return false;
  Textures textures(buffer, info, GST_MAP_WRITE, static_cast<CudaDevice &>(device), queue);
  textures.other(from, &CudaGlCopies::Rows::from);
  hand_over(context_of(buffer), textures);
  return true;
}

struct CopyToGl::Begun {
  GstGLContext *context = nullptr;
  std::optional<Textures> textures; // while it is in the line
};

CopyToGl::CopyToGl() : begun_(std::make_unique<Begun>()) {}

CopyToGl::~CopyToGl() {
  try {
    end();
  } catch (const std::exception &) { // whoever wanted the frame has given it up
  }
}

bool CopyToGl::begin(GstBuffer *buffer, const GstVideoInfo &info, Device &device, const ConstImage &from,
                     Queue &queue, Event &done) {
  if (!gl_reaches_cuda(buffer, device)) return false;
  end();
  begun_->context = context_of(buffer);
  Textures &textures =
      begun_->textures.emplace(buffer, info, GST_MAP_WRITE, static_cast<CudaDevice &>(device), queue);
  textures.other(from, &CudaGlCopies::Rows::from);
  textures.done = &done;
  enter_line(begun_->context, textures);
  return true;
}

void CopyToGl::end() {
  if (!begun_->textures) return;
  std::exception_ptr error;
  try {
    wait_for(begun_->context, *begun_->textures);
  } catch (...) {
    error = std::current_exception();
  }
  begun_->textures.reset();
  if (error) std::rethrow_exception(error);
}

} // namespace vigil::gst
