// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/memory/gl_texture.h"

#include "common/error.h"
#include "gst/memory/gl_context.h"

namespace vigil::gst {
namespace {

// A component that lies in this plane.
int plane_component(const GstVideoInfo &info, guint plane) {
  for (guint c = 0; c < GST_VIDEO_INFO_N_COMPONENTS(&info); c++)
    if (guint(GST_VIDEO_INFO_COMP_PLANE(&info, c)) == plane) return int(c);
  return 0;
}

} // namespace

GstGLContext *gl_context_of(GstBuffer *buffer) {
  if (!is_gl_memory(buffer))
    fail(Error::Kind::bad_data, "the caps promise OpenGL memory, but this frame is not in OpenGL memory");
  return GST_GL_BASE_MEMORY_CAST(gst_buffer_peek_memory(buffer, 0))->context;
}

void check_texture(GstMemory *memory, const GstVideoInfo &info, guint plane) {
  GstGLMemory *gl = GST_GL_MEMORY_CAST(memory);
  if (gst_gl_memory_get_texture_target(gl) != GST_GL_TEXTURE_TARGET_2D)
    fail(Error::Kind::bad_data, "a frame is not in a 2D texture, as its caps say");
  const int component = plane_component(info, plane);
  if (gst_gl_memory_get_texture_width(gl) < GST_VIDEO_INFO_COMP_WIDTH(&info, component) ||
      gst_gl_memory_get_texture_height(gl) < GST_VIDEO_INFO_COMP_HEIGHT(&info, component))
    fail(Error::Kind::bad_data, "a frame's texture is smaller than its caps say");
}

MappedTexture::MappedTexture(GstMemory *memory, GstMapFlags flags) : memory_(memory) {
  if (!gst_memory_map(memory, &map_, static_cast<GstMapFlags>(int(flags) | GST_MAP_GL)))
    fail(Error::Kind::bad_data, "a frame's OpenGL memory cannot be mapped");
}
MappedTexture::~MappedTexture() {
  gst_memory_unmap(memory_, &map_);
}

} // namespace vigil::gst
