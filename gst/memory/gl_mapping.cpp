// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/memory/gl_mapping.h"

#include "common/error.h"
#include "gst/memory/cuda_context.h"
#include "gst/memory/gl_cuda.h"
#include "gst/memory/gl_device.h"
#include "gst/memory/gl_texture.h"
#include "gst/video/formats.h"
#include "gst/video/gst_ptr.h"

#include <algorithm>
#include <gst/gl/gl.h>

namespace vigil::gst {
namespace {

// A frame, while it is mapped.
class Mapped {
 public:
  Mapped(const GstVideoInfo &info, GstBuffer *buffer, int flags) {
    map_frame(frame_, info, buffer, static_cast<GstMapFlags>(flags));
  }
  ~Mapped() { gst_video_frame_unmap(&frame_); }
  Mapped(const Mapped &) = delete;
  Mapped &operator=(const Mapped &) = delete;
  GstVideoFrame *frame() { return &frame_; }
  Image image() const { return image_of(frame_); }

 private:
  GstVideoFrame frame_{};
};

GstCaps *caps_of_textures(const GstVideoInfo &info) {
  GstVideoInfo copy = info;
  GstCaps *caps = gst_video_info_to_caps(&copy);
  gst_caps_set_features(caps, 0, gst_caps_features_new(GST_CAPS_FEATURE_MEMORY_GL_MEMORY, nullptr));
  gst_caps_set_simple(caps, "texture-target", G_TYPE_STRING, GST_GL_TEXTURE_TARGET_2D_STR, nullptr);
  return caps;
}

BufferPtr new_texture(GstGLContext *context, const GstVideoInfo &info) {
  GstCaps *caps = caps_of_textures(info);
  GstBufferPool *pool = gst_gl_buffer_pool_new(context);
  GstStructure *config = gst_buffer_pool_get_config(pool);
  gst_buffer_pool_config_set_params(config, caps, guint(GST_VIDEO_INFO_SIZE(&info)), 0, 0);
  GstBuffer *buffer = nullptr;
  const bool made = gst_buffer_pool_set_config(pool, config) && gst_buffer_pool_set_active(pool, TRUE) &&
                    gst_buffer_pool_acquire_buffer(pool, &buffer, nullptr) == GST_FLOW_OK;
  gst_buffer_pool_set_active(pool, FALSE); // its one buffer lives on
  gst_object_unref(pool);
  gst_caps_unref(caps);
  if (!made)
    fail(Error::Kind::no_memory, "OpenGL has no texture for frames of ", GST_VIDEO_INFO_WIDTH(&info), "x",
         GST_VIDEO_INFO_HEIGHT(&info), " pixels");
  return BufferPtr(buffer);
}

// GStreamer's upload (in 1.22) makes wrong pictures of rows that are not a multiple of four bytes apart, and
// of an odd number of them where planes follow each other.
bool suits_upload(const GstVideoInfo &info, GstBuffer *buffer) {
  if (GST_VIDEO_INFO_N_PLANES(&info) > 1 && GST_VIDEO_INFO_HEIGHT(&info) % 2 != 0) return false;
  const GstVideoMeta *meta = gst_buffer_get_video_meta(buffer); // none: rows are as GStreamer lays them out
  return !meta || std::all_of(meta->stride, meta->stride + meta->n_planes,
                              [](gint stride) { return stride > 0 && stride % 4 == 0; });
}

void through_host(GstBuffer *from, GstBuffer *to, const GstVideoInfo &info) {
  Mapped a(info, from, GST_MAP_READ), b(info, to, GST_MAP_WRITE);
  gst_video_frame_copy(b.frame(), a.frame());
}

class GlMapping final : public FrameMapping {
 public:
  GlMapping(GlContextDevice &device, const FrameKind &kind, Device *cuda)
      : device_(device), kind_(kind), cuda_(cuda) {
    gst_video_info_set_format(&rgba_, GST_VIDEO_FORMAT_RGBA, guint(GST_VIDEO_INFO_WIDTH(&kind.info)),
                              guint(GST_VIDEO_INFO_HEIGHT(&kind.info)));
    rgba_.fps_n = kind.info.fps_n;
    rgba_.fps_d = kind.info.fps_d;
    if (!kind.cuda_memory) return;
    queue_ = cuda->make_queue();
    event_ = cuda->make_event();
  }
  ~GlMapping() override { close(); }

  ConstImage map_read(GstBuffer *buffer, Queue &, ByteCounts &counts) override {
    prepare_conversion();
    texture_ = kind_.gl_memory ? checked(buffer) : as_rgba(buffer, counts);
    return shape();
  }
  // What goes out is another texture than what came: no element that works in OpenGL changes frames in place.
  Image map_update(GstBuffer *, GstBuffer *, Queue &, ByteCounts &) override {
    fail(Error::Kind::bad_setting, "frames in OpenGL textures are not changed in place");
  }
  Image map_write(GstBuffer *buffer, Queue &) override {
    out_ = buffer;
    texture_ = is_gl_memory(buffer) ? checked(buffer) : texture_of(own_, rgba_);
    return shape();
  }
  GstBuffer *texture() const override { return texture_; }
  void write_back(Queue &, ByteCounts &counts) override {
    if (kind_.gl_memory) return;
    if (kind_.cuda_memory && gl_reaches_cuda(texture_, *cuda_)) return send_to_cuda();
    counts.to_host += GST_VIDEO_INFO_SIZE(&rgba_);
    if (kind_.cuda_memory) counts.to_device += GST_VIDEO_INFO_SIZE(&rgba_);
    if (texture_ != out_) through_host(texture_, out_, rgba_);
  }
  void write_back(Queue &queue, ByteCounts &counts, const Area &) override { write_back(queue, counts); }
  bool holds_buffer() const override { return texture_ != nullptr; }
  // GStreamer's upload keeps the frame itself until the next one.
  void close() noexcept override {
    uploaded_.reset();
    converted_.reset();
    texture_ = out_ = nullptr;
  }

 private:
  Image shape() const {
    return {PixelFormat::rgba, GST_VIDEO_INFO_WIDTH(&kind_.info), GST_VIDEO_INFO_HEIGHT(&kind_.info), {}, {}};
  }

  // A neighbour's texture, if it can be used in this context.
  GstBuffer *checked(GstBuffer *buffer) const {
    GstGLContext *context = gl_context_of(buffer);
    if (context != device_.context() && !gst_gl_context_can_share(context, device_.context()))
      fail(Error::Kind::bad_data, "a frame's texture is of an OpenGL context that does not share with the "
                                  "one that the element works in");
    check_texture(gst_buffer_peek_memory(buffer, 0), kind_.gl_memory ? kind_.info : rgba_, 0);
    return buffer;
  }

  // GStreamer's upload and conversion, where the frames need them.
  void prepare_conversion() {
    if (prepared_ || kind_.gl_memory) return;
    GstVideoInfo copy = kind_.info;
    GstCaps *system = gst_video_info_to_caps(&copy), *textures = caps_of_textures(kind_.info),
            *rgba = caps_of_textures(rgba_);
    upload_.reset(gst_gl_upload_new(device_.context()));
    if (!gst_gl_upload_set_caps(upload_.get(), system, textures)) upload_.reset();
    bool converts = true;
    if (GST_VIDEO_INFO_FORMAT(&kind_.info) != GST_VIDEO_FORMAT_RGBA) {
      convert_.reset(gst_gl_color_convert_new(device_.context()));
      converts = gst_gl_color_convert_set_caps(convert_.get(), textures, rgba);
    }
    for (GstCaps *caps : {system, textures, rgba}) gst_caps_unref(caps);
    if (!converts)
      fail(Error::Kind::bad_setting, "OpenGL cannot make RGBA of frames in ",
           GST_VIDEO_INFO_NAME(&kind_.info));
    prepared_ = true;
  }

  GstBuffer *texture_of(BufferPtr &buffer, const GstVideoInfo &info) {
    if (!buffer) buffer = new_texture(device_.context(), info);
    return buffer.get();
  }

  // GStreamer's upload takes the frame's memory as it is; false when it does not want to.
  bool upload(GstBuffer *in) {
    uploaded_.reset();
    GstBuffer *made = nullptr;
    if (!upload_ || gst_gl_upload_perform_with_buffer(upload_.get(), in, &made) != GST_GL_UPLOAD_DONE)
      return false;
    uploaded_.reset(made);
    return made && is_gl_memory(made);
  }

  // The frame's planes as textures.
  GstBuffer *fetch(GstBuffer *in, ByteCounts &counts) {
    if (!kind_.cuda_memory) {
      (void)Mapped(kind_.info, in, GST_MAP_READ); // GStreamer's upload trusts what a frame says of itself
      counts.to_device += GST_VIDEO_INFO_SIZE(&kind_.info);
      if (suits_upload(kind_.info, in) && upload(in)) return uploaded_.get();
    } else if (!is_cuda_memory(in)) {
      fail(Error::Kind::bad_data, "the caps promise CUDA memory, but this frame is not in CUDA memory");
    }
    GstBuffer *to = texture_of(own_, kind_.info);
    if (kind_.cuda_memory && gl_reaches_cuda(to, *cuda_)) {
      const Mapped frame(kind_.info, in, GST_MAP_READ | cuda_map_flag());
      after_work_with(in, *cuda_, *queue_, *event_);
      copy_to_gl(to, kind_.info, *cuda_, frame.image(), *queue_);
      queue_->wait();
      return to;
    }
    through_host(in, to, kind_.info);
    if (kind_.cuda_memory) {
      counts.to_host += GST_VIDEO_INFO_SIZE(&kind_.info);
      counts.to_device += GST_VIDEO_INFO_SIZE(&kind_.info);
    }
    return to;
  }

  GstBuffer *as_rgba(GstBuffer *in, ByteCounts &counts) {
    GstBuffer *textures = fetch(in, counts);
    if (!convert_) return textures;
    converted_.reset();
    converted_.reset(gst_gl_color_convert_perform(convert_.get(), textures));
    if (!converted_)
      fail(Error::Kind::device, "OpenGL failed to make RGBA of a frame in ",
           GST_VIDEO_INFO_NAME(&kind_.info));
    return converted_.get();
  }

  void send_to_cuda() {
    const Mapped frame(rgba_, out_, GST_MAP_WRITE | cuda_map_flag());
    after_work_with(out_, *cuda_, *queue_, *event_);
    copy_from_gl(texture_, rgba_, *cuda_, frame.image(), *queue_);
    queue_->wait();
  }

  GlContextDevice &device_;
  FrameKind kind_;
  GstVideoInfo rgba_{}; // the same as RGBA
  Device *cuda_;        // of frames in CUDA memory, as the next two
  std::unique_ptr<Queue> queue_;
  std::unique_ptr<Event> event_;
  bool prepared_ = false;
  ObjectPtr<GstGLUpload> upload_;
  ObjectPtr<GstGLColorConvert> convert_; // where frames are not RGBA
  BufferPtr uploaded_, converted_;       // by those
  BufferPtr own_;                        // a texture for frames that have none
  GstBuffer *texture_ = nullptr, *out_ = nullptr;
};

const GlContextDevice &of_gl(const Device &device) {
  return static_cast<const GlContextDevice &>(device);
}

} // namespace

std::shared_ptr<Device> open_gl_device(GlContext &gl) {
  const ObjectPtr<GstGLContext> context = gl.use();
  return GlContextDevice::open(context.get());
}

std::shared_ptr<Device> follow_gl_device(GlContext &gl, GstBuffer *buffer) {
  GstGLContext *context = gl_context_of(buffer);
  gl.follow(context);
  return GlContextDevice::open(context);
}

bool is_software(const Device &device) {
  return static_cast<const GlDevice &>(device).is_software();
}

bool is_in_other_gl(GstBuffer *buffer, const Device &device) {
  if (!is_gl_memory(buffer)) return false;
  GstGLContext *theirs = gl_context_of(buffer), *ours = of_gl(device).context();
  return theirs != ours && !gst_gl_context_can_share(theirs, ours);
}

bool works_in(const GlContext &gl, const Device &device) {
  return gl.uses(of_gl(device).context());
}

std::unique_ptr<FrameMapping> make_gl_mapping(Device &gl, const FrameKind &kind, Device *cuda) {
  return std::make_unique<GlMapping>(static_cast<GlContextDevice &>(gl), kind, cuda);
}

} // namespace vigil::gst
