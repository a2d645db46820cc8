// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/glcolinearseg/outside.h"

#include "common/error.h"
#include "gst/frames/formats.h"
#include "gst/memory/gl_context.h"
#include "gst/memory/gl_cuda.h"
#include "gst/memory/gl_thread.h"

#include <algorithm>

namespace vigil::gst::glcolinearseg {
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

// GStreamer's upload (in 1.22) makes wrong pictures of rows that are not a multiple of four bytes apart, and of an odd number of
// them where planes follow each other.
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

// On the OpenGL thread.
void copy_texture(GstBuffer *from, GstBuffer *to, const GstVideoInfo &info) {
  GstGLMemory *source = GST_GL_MEMORY_CAST(gst_buffer_peek_memory(from, 0));
  GstMapInfo map;
  GstMemory *target = gst_buffer_peek_memory(to, 0);
  if (!gst_memory_map(target, &map, static_cast<GstMapFlags>(int(GST_MAP_WRITE) | GST_MAP_GL)))
    fail(Error::Kind::bad_data, "a frame is not OpenGL memory that can be mapped");
  const bool copied =
      gst_gl_memory_copy_into(source, *reinterpret_cast<const guint *>(map.data), GST_GL_TEXTURE_TARGET_2D,
                              GST_GL_RGBA, GST_VIDEO_INFO_WIDTH(&info), GST_VIDEO_INFO_HEIGHT(&info));
  gst_memory_unmap(target, &map);
  if (!copied) fail(Error::Kind::device, "OpenGL cannot copy a texture");
}

} // namespace

Outside::Outside(GstGLContext *context, const GstVideoInfo &in, const GstVideoInfo &out)
    : context_(context), in_(in), out_(out), upload_(gst_gl_upload_new(context)) {
  GstVideoInfo copy = in;
  GstCaps *system = gst_video_info_to_caps(&copy), *textures = caps_of_textures(in),
          *rgba = caps_of_textures(out);
  if (!gst_gl_upload_set_caps(upload_, system, textures)) gst_clear_object(&upload_);
  bool converts = true;
  if (GST_VIDEO_INFO_FORMAT(&in) != GST_VIDEO_INFO_FORMAT(&out)) {
    convert_ = gst_gl_color_convert_new(context);
    converts = gst_gl_color_convert_set_caps(convert_, textures, rgba);
  }
  for (GstCaps *caps : {system, textures, rgba}) gst_caps_unref(caps);
  if (converts) return;
  gst_clear_object(&convert_);
  gst_clear_object(&upload_);
  fail(Error::Kind::bad_setting, "OpenGL cannot make RGBA of frames in ", GST_VIDEO_INFO_NAME(&in));
}

Outside::~Outside() {
  uploaded_.reset();
  converted_.reset();
  gst_clear_object(&convert_);
  gst_clear_object(&upload_);
}

GstBuffer *Outside::texture(BufferPtr &slot, const GstVideoInfo &info) {
  if (!slot) slot = new_texture(context_, info);
  return slot.get();
}

// GStreamer's upload takes the frame's memory as it is; false when it does not want to.
bool Outside::upload(GstBuffer *in) {
  uploaded_.reset();
  GstBuffer *made = nullptr;
  if (!upload_ || gst_gl_upload_perform_with_buffer(upload_, in, &made) != GST_GL_UPLOAD_DONE) return false;
  uploaded_.reset(made);
  return made && is_gl_memory(made);
}

// The frame's planes as textures.
GstBuffer *Outside::fetch(GstBuffer *in, GstBuffer *into, const Cuda *cuda, ByteCounts &counts) {
  if (!cuda) {
    (void)Mapped(in_, in, GST_MAP_READ); // GStreamer's upload trusts what a frame says of itself
    counts.to_device += GST_VIDEO_INFO_SIZE(&in_);
    if (!into && suits_upload(in_, in) && upload(in)) return uploaded_.get();
  }
  GstBuffer *to = into ? into : texture(source_, in_);
  if (cuda && gl_reaches_cuda(to, cuda->device)) {
    const Mapped frame(in_, in, GST_MAP_READ | cuda_map_flag());
    after_work_with(in, cuda->device, cuda->queue, cuda->scratch);
    copy_to_gl(to, in_, cuda->device, frame.image(), cuda->queue);
    cuda->queue.wait();
    return to;
  }
  through_host(in, to, in_);
  if (cuda) {
    counts.to_host += GST_VIDEO_INFO_SIZE(&in_);
    counts.to_device += GST_VIDEO_INFO_SIZE(&in_);
    cuda_through_host_ = true;
  }
  return to;
}

GstBuffer *Outside::load(GstBuffer *in, GstBuffer *into, const Cuda *cuda, ByteCounts &counts) {
  if (!convert_) return fetch(in, into, cuda, counts);
  converted_.reset();
  converted_.reset(gst_gl_color_convert_perform(convert_, fetch(in, nullptr, cuda, counts)));
  if (!converted_)
    fail(Error::Kind::device, "OpenGL failed to make RGBA of a frame in ", GST_VIDEO_INFO_NAME(&in_));
  if (!into) return converted_.get();
  on_thread_of(context_, [&] { copy_texture(converted_.get(), into, out_); });
  return into;
}

void Outside::release() {
  uploaded_.reset();
  converted_.reset();
}

GstBuffer *Outside::target(GstBuffer *out) {
  return is_gl_memory(out) ? out : texture(target_, out_);
}

void Outside::store(GstBuffer *from, GstBuffer *out, const Cuda *cuda, ByteCounts &counts) {
  if (cuda && gl_reaches_cuda(from, cuda->device)) {
    const Mapped frame(out_, out, GST_MAP_WRITE | cuda_map_flag());
    after_work_with(out, cuda->device, cuda->queue, cuda->scratch);
    copy_from_gl(from, out_, cuda->device, frame.image(), cuda->queue);
    cuda->queue.wait();
    return;
  }
  counts.to_host += GST_VIDEO_INFO_SIZE(&out_);
  if (cuda) counts.to_device += GST_VIDEO_INFO_SIZE(&out_);
  if (!is_gl_memory(out)) through_host(from, out, out_);
}

} // namespace vigil::gst::glcolinearseg
