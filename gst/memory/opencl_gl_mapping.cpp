// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/memory/opencl_gl_mapping.h"

#include "common/error.h"
#include "common/gl/device.h"
#include "common/interop/opencl_gl.h"
#include "gst/memory/gl_context.h"
#include "gst/memory/gl_texture.h"

#include <gst/gl/gstglfuncs.h>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

namespace vigil::gst {

struct ClGlContexts {
  explicit ClGlContexts(GstGLContext *context) : gl(GST_GL_CONTEXT(gst_object_ref(context))) {}
  ~ClGlContexts() {
    cl.reset();
    gst_object_unref(gl);
  }
  ClGlContexts(const ClGlContexts &) = delete;
  ClGlContexts &operator=(const ClGlContexts &) = delete;
  GstGLContext *gl;
  std::unique_ptr<ClDevice> cl;
};

namespace {

// Elements that share a device and an OpenGL context share the OpenCL context that belongs to it: each takes
// memory of the driver.
std::shared_ptr<ClGlContexts> share_contexts(GstGLContext *context, const ClDevice &cl) {
  static std::mutex mutex;
  static std::map<std::pair<GstGLContext *, cl_device_id>, std::weak_ptr<ClGlContexts>> opened;
  const auto known = [&]() -> std::weak_ptr<ClGlContexts> & { return opened[{context, cl.id()}]; };
  {
    const std::lock_guard lock(mutex);
    std::erase_if(opened, [](const auto &o) { return o.second.expired(); });
    if (std::shared_ptr<ClGlContexts> contexts = known().lock()) return contexts;
  }
  // No lock is held while the OpenGL thread is waited for, which may be one that wants the lock.
  auto made = std::make_shared<ClGlContexts>(context);
  on_thread_of(context, [&] {
    GlDevice gl([&](const char *name) { return gst_gl_context_get_proc_address(context, name); });
    made->cl = open_beside_gl(cl, gl);
  });
  const std::lock_guard lock(mutex);
  if (std::shared_ptr<ClGlContexts> others = known().lock()) return others; // made meanwhile
  known() = made;
  return made;
}

// OpenCL's image of a memory's texture, and the contexts, which have to outlive it.
struct Shared {
  std::shared_ptr<ClGlContexts> contexts;
  std::shared_ptr<ClGlTexture> texture; // frames under way have it, too
};

class TextureMapping final : public FrameMapping {
 public:
  TextureMapping(std::shared_ptr<ClGlContexts> contexts, const FrameKind &kind)
      : contexts_(std::move(contexts)), info_(kind.info), copy_(kind.info),
        memory_(*contexts_->cl, std::size_t(4) * std::size_t(width()) * std::size_t(height())) {}
  ~TextureMapping() override { close(); }

  ConstImage map_read(GstBuffer *buffer, Queue &queue, ByteCounts &) override {
    fetch(buffer, GST_MAP_READ, queue);
    return picture();
  }
  Image map_update(GstBuffer *buffer, GstBuffer *other, Queue &queue, ByteCounts &) override {
    fetch(buffer, other ? GST_MAP_READ : GST_MAP_READWRITE, queue);
    target_ = other ? open(other, GST_MAP_WRITE, other_) : source_;
    return picture();
  }
  Image map_write(GstBuffer *buffer, Queue &) override {
    target_ = open(buffer, GST_MAP_WRITE, other_);
    return picture();
  }
  void write_back(Queue &queue, ByteCounts &) override {
    target_->copy_from(memory_.as(), width(), height(), static_cast<ClQueue &>(queue));
  }
  void write_back(Queue &queue, ByteCounts &counts, const Area &) override {
    write_back(queue, counts);
  } // as a whole
  bool holds_buffer() const override { return source_ || target_; }
  void close() noexcept override {
    source_.reset();
    target_.reset();
    frame_.reset();
    other_.reset();
  }

 private:
  int width() const { return copy_.shape().width; }
  int height() const { return copy_.shape().height; }
  // Rows without a gap between them, as OpenCL copies images.
  Image picture() const {
    Image image = copy_.shape();
    image.data[0] = memory_.as<std::uint8_t>();
    image.stride[0] = std::ptrdiff_t(4) * width();
    return image;
  }
  void fetch(GstBuffer *buffer, GstMapFlags flags, Queue &queue) {
    source_ = open(buffer, flags, frame_);
    source_->copy_to(memory_.as(), width(), height(), static_cast<ClQueue &>(queue));
  }
  // OpenGL is done with the texture then.
  std::shared_ptr<ClGlTexture> open(GstBuffer *buffer, GstMapFlags flags,
                                    std::optional<MappedTexture> &mapped) {
    GstGLContext *context = gl_context_of(buffer);
    GstMemory *memory = gst_buffer_peek_memory(buffer, 0);
    check_texture(memory, info_, 0);
    if (context != contexts_->gl && !gst_gl_context_can_share(context, contexts_->gl))
      fail(Error::Kind::bad_data,
           "a frame's texture is of an OpenGL context that shares nothing with that of the "
           "frames before; let all elements have one OpenGL display");
    std::shared_ptr<ClGlTexture> texture;
    on_thread_of(context, [&] {
      static const GQuark quark = g_quark_from_static_string("vigil-opencl-texture");
      mapped.reset();
      mapped.emplace(memory, flags);
      const GLuint id = mapped->texture();
      GstGLSyncMeta *sync = gst_buffer_get_gl_sync_meta(buffer);
      if (sync) gst_gl_sync_meta_wait(sync, context);
      context->gl_vtable->Finish();
      texture = kept_with<Shared>(
                    memory, quark,
                    [&](const Shared &s) { return s.contexts == contexts_ && s.texture->texture() == id; },
                    [&] {
                      return std::make_unique<Shared>(
                          Shared{contexts_, std::make_shared<ClGlTexture>(*contexts_->cl, id)});
                    })
                    .texture;
    });
    return texture;
  }

  std::shared_ptr<ClGlContexts> contexts_;
  GstVideoInfo info_;
  CopyLayout copy_;
  DeviceBuffer memory_;
  std::optional<MappedTexture> frame_, other_;
  std::shared_ptr<ClGlTexture> source_, target_;
};

} // namespace

void ClGlSharing::remember(GstGLContext *context) {
  gst_object_replace(reinterpret_cast<GstObject **>(&context_), reinterpret_cast<GstObject *>(context));
}

bool ClGlSharing::is_new(GstBuffer *buffer, const ClDevice &cl) {
  if (!is_gl_memory(buffer)) return false;
  GstGLContext *context = gl_context_of(buffer);
  if (context == context_ || (context_ && gst_gl_context_can_share(context, context_))) return false;
  if (may_share_textures(cl)) return true;
  remember(context);
  return false;
}

void ClGlSharing::follow(GstBuffer *buffer, const ClDevice &cl) {
  contexts_.reset();
  remember(gl_context_of(buffer));
  contexts_ = share_contexts(context_, cl);
}

ClDevice *ClGlSharing::device() const {
  return contexts_ ? contexts_->cl.get() : nullptr;
}

void ClGlSharing::close() noexcept {
  contexts_.reset();
  remember(nullptr);
}

std::unique_ptr<FrameMapping> make_texture_mapping(std::shared_ptr<ClGlContexts> contexts,
                                                   const FrameKind &kind) {
  return std::make_unique<TextureMapping>(std::move(contexts), kind);
}

} // namespace vigil::gst
