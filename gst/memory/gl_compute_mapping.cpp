// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/memory/gl_compute_mapping.h"

#include "common/device_cast.h"
#include "common/error.h"
#include "common/shifted.h"
#include "gst/memory/gl_compute_device.h"
#include "gst/memory/gl_texture.h"
#include "gst/memory/high_bytes_mapping.h"
#include "kernels/convert/gl_textures.h"

#include <algorithm>
#include <gst/gl/gl.h>

namespace vigil::gst {
namespace {

// Which plane of GStreamer's is plane `i` of the kernels' picture: see image_of().
guint gst_plane(const GstVideoInfo &info, const Image &image, int i) {
  return guint(plane_count(image.format) == 3 ? GST_VIDEO_INFO_COMP_PLANE(&info, i) : i);
}

// `wide`: its samples have 16 bits.
convert::GlTexels texels_of(GstMemory *memory, GLuint texture, const Image &image, int i, bool wide) {
  const Plane<std::uint8_t> plane = image.plane(i);
  GstGLFormat sized = gst_gl_memory_get_texture_format(GST_GL_MEMORY_CAST(memory)), format = sized;
  guint type = 0;
  gst_gl_format_type_from_sized_gl_format(sized, &format, &type);
  if (type != (wide ? GL_UNSIGNED_SHORT : GL_UNSIGNED_BYTE) ||
      convert::channels_of(GLenum(format)) != int(pixel_bytes(image.format, i)))
    fail(Error::Kind::bad_data, "a texture of a frame has the format 0x", std::hex, int(sized),
         ", which its caps do not say");
  return {texture, GLenum(format), plane.width, plane.height, wide};
}

// One frame's textures, copied to memory of the device or from there.
class TextureCopies final : public FrameMapping {
 public:
  TextureCopies(GlComputeDevice &device, const FrameKind &kind)
      : device_(device), kind_(kind), layout_(eight_bit_info(kind.info)), memory_(device, layout_.bytes()),
        wide_(needs_high_bytes(kind)) {}

  ConstImage map_read(GstBuffer *buffer, Queue &, ByteCounts &) override {
    check(buffer);
    buffer_ = buffer;
    const Image image = layout_.at(memory_.as());
    device_.on_thread([&] {
      if (GstGLSyncMeta *drawn = gst_buffer_get_gl_sync_meta(buffer))
        gst_gl_sync_meta_wait(drawn, device_.context());
      for (int i = 0; i < plane_count(image.format); i++) {
        GstMemory *memory = gst_buffer_peek_memory(buffer, gst_plane(kind_.info, image, i));
        const MappedTexture mapped(memory, GST_MAP_READ);
        convert::from_texture(device_, texels_of(memory, mapped.texture(), image, i, wide_), image.data[i],
                              image.stride[i]);
      }
    });
    return image;
  }
  // What goes out is another picture than what came.
  Image map_update(GstBuffer *, GstBuffer *, Queue &, ByteCounts &) override {
    fail(Error::Kind::bad_setting, "frames in OpenGL textures are not changed in place");
  }
  Image map_write(GstBuffer *buffer, Queue &) override {
    check(buffer);
    buffer_ = buffer;
    return layout_.at(memory_.as());
  }
  void write_back(Queue &, ByteCounts &) override {
    const Image image = layout_.at(memory_.as());
    device_.on_thread([&] {
      for (int i = 0; i < plane_count(image.format); i++) {
        GstMemory *memory = gst_buffer_peek_memory(buffer_, gst_plane(kind_.info, image, i));
        const MappedTexture mapped(memory, GST_MAP_WRITE);
        convert::to_texture(device_, image.data[i], image.stride[i],
                            texels_of(memory, mapped.texture(), image, i, false));
      }
      if (GstGLSyncMeta *drawn = gst_buffer_get_gl_sync_meta(buffer_))
        gst_gl_sync_meta_set_sync_point(drawn, device_.context());
    });
  }
  void write_back(Queue &queue, ByteCounts &counts, const Area &) override { write_back(queue, counts); }
  // Another context than ours may draw into the texture again once the buffer is given back.
  bool holds_buffer() const override { return buffer_ != nullptr; }
  void close() noexcept override { buffer_ = nullptr; }

 private:
  void check(GstBuffer *buffer) const {
    GstGLContext *context = gl_context_of(buffer);
    if (context != device_.context() && !gst_gl_context_can_share(context, device_.context()))
      fail(Error::Kind::bad_data, "a frame's texture is of an OpenGL context that does not share with the "
                                  "one that the element works in");
    const guint planes = GST_VIDEO_INFO_N_PLANES(&kind_.info);
    if (gst_buffer_n_memory(buffer) < planes)
      fail(Error::Kind::bad_data, "a frame has ", gst_buffer_n_memory(buffer), " textures, not ", planes);
    for (guint i = 0; i < planes; i++) {
      GstMemory *memory = gst_buffer_peek_memory(buffer, i);
      if (!gst_is_gl_memory(memory)) fail(Error::Kind::bad_data, "a plane of a frame is in no texture");
      check_texture(memory, kind_.info, i);
    }
  }

  GlComputeDevice &device_;
  FrameKind kind_;
  CopyLayout layout_;
  DeviceBuffer memory_;
  bool wide_; // frames have 16 bits a sample
  GstBuffer *buffer_ = nullptr;
};

} // namespace

std::shared_ptr<Device> open_gl_compute(GlContext &gl) {
  const ObjectPtr<GstGLContext> context = gl.use();
  return GlComputeDevice::open(context.get());
}

void follow_textures(GlContext &gl, GstBuffer *buffer) {
  gl.follow(gl_context_of(buffer));
}

std::unique_ptr<FrameMapping> make_texture_copies(Device &device, const FrameKind &kind) {
  return std::make_unique<TextureCopies>(device_cast<GlComputeDevice>(device), kind);
}

} // namespace vigil::gst
