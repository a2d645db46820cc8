// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/memory/gl_cuda.h"

#include "common/device_cast.h"
#include "common/error.h"
#include "common/interop/cuda_gl.h"
#include "gst/memory/gl_context.h"
#include "gst/memory/gl_handover.h"
#include "gst/memory/gl_texture.h"

#include <algorithm>
#include <gst/gl/gstglfuncs.h>
#include <memory>
#include <optional>

namespace vigil::gst {
namespace {

// As CUDA knows it, for as long as its memory lives.
CudaGlTexture &registered(GstMemory *memory, GLuint id, CudaDevice &device) {
  static const GQuark quark = g_quark_from_static_string("vigil-cuda-texture");
  return kept_with<CudaGlTexture>(
      memory, quark,
      [&](const CudaGlTexture &t) { return t.context() == device.context() && t.texture() == id; },
      [&] { return std::make_unique<CudaGlTexture>(device.shared_context(), id); });
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
    if (sync) gst_gl_sync_meta_wait(sync, gl_context_of(buffer_));
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
  std::optional<MappedTexture> mapped_[most_planes];
};

} // namespace

bool gl_reaches_cuda(GstBuffer *buffer, Device &device) {
  GstGLContext *context = gl_context_of(buffer);
  if (device.backend() != Backend::cuda) return false;
  const int id = device_cast<CudaDevice>(device).id();
  // The answer, for the device that asked last: its number and whether it is the same GPU.
  static const GQuark quark = g_quark_from_static_string("vigil-cuda-device");
  const auto mark = [&](bool same) { return GINT_TO_POINTER(2 * id + 1 + (same ? 1 : 0)); };
  gpointer known = g_object_get_qdata(G_OBJECT(context), quark);
  if (known != mark(true) && known != mark(false)) {
    bool same = false;
    on_thread_of(context, [&] {
      const CudaScope scope = device_cast<CudaDevice>(device).enter();
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
  Textures textures(buffer, info, GST_MAP_READ, device_cast<CudaDevice>(device), queue);
  textures.other(to, &CudaGlCopies::Rows::to);
  hand_over(gl_context_of(buffer), textures);
  return true;
}

bool copy_to_gl(GstBuffer *buffer, const GstVideoInfo &info, Device &device, const ConstImage &from,
                Queue &queue) {
  if (!gl_reaches_cuda(buffer, device)) return false;
  Textures textures(buffer, info, GST_MAP_WRITE, device_cast<CudaDevice>(device), queue);
  textures.other(from, &CudaGlCopies::Rows::from);
  hand_over(gl_context_of(buffer), textures);
  return true;
}

struct CopyToGl::Begun {
  GstGLContext *context = nullptr;
  std::optional<Textures> textures; // while it is queued
};

CopyToGl::CopyToGl() : begun_(std::make_unique<Begun>()) {}

CopyToGl::~CopyToGl() {
  try {
    end();
  } catch (const std::exception &) { // the thread that wanted the frame has given it up
  }
}

bool CopyToGl::begin(GstBuffer *buffer, const GstVideoInfo &info, Device &device, const ConstImage &from,
                     Queue &queue, Event &done) {
  if (!gl_reaches_cuda(buffer, device)) return false;
  end();
  begun_->context = gl_context_of(buffer);
  Textures &textures =
      begun_->textures.emplace(buffer, info, GST_MAP_WRITE, device_cast<CudaDevice>(device), queue);
  textures.other(from, &CudaGlCopies::Rows::from);
  textures.done = &done;
  enqueue(begun_->context, textures);
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
