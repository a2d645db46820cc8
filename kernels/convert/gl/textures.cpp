// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/convert/gl_textures.h"

#include "common/error.h"
#include "common/gl/compute.h"
#include "common/gl/state.h"
#include "kernels/convert/convert-shaders.h"

namespace vigil::convert {
namespace {

using namespace shaders;

constexpr GLenum luminance = 0x1909, luminance_alpha = 0x190A; // OpenGL's core headers lack them

// The uniform block of texels.comp.
struct GlTexelsJob {
  std::int32_t width, height;
  std::uint32_t to_offset;
  std::int32_t to_stride;
};

} // namespace

int channels_of(GLenum format) {
  switch (format) {
  case GL_RED:
  case luminance:
    return 1;
  case GL_RG:
  case luminance_alpha:
    return 2;
  case GL_RGBA:
    return 4;
  default:
    return 0;
  }
}

void from_texture(GlDevice &device, const GlTexels &t, void *to, std::ptrdiff_t stride) {
  const GlStateGuard guard(device);
  const int channels = channels_of(t.format);
  const GlProgram &program = device.compute_program(
      {texels_comp}, text("#define CHANNELS ", channels, "\n#define PAIR ",
                          t.format == luminance_alpha ? "ra" : "rg", "\n#define WIDE ", int(t.wide), "\n"));
  GlLaunch launch(device, program);
  program.bind("texels", 0, t.texture);
  const GlTexelsJob job{t.width, t.height,
                        launch.write(0, to, std::size_t((t.height - 1) * stride + t.width * channels)),
                        std::int32_t(stride)};
  launch.run(job, gl_groups(gl_groups(t.width * channels, 4), 32), gl_groups(t.height, 4));
}

void to_texture(GlDevice &device, const void *from, std::ptrdiff_t stride, const GlTexels &t) {
  const GlFunctions &gl = device.gl;
  const GlPixelStoreGuard pixels(device);
  const GlTextureGuard texture(device);
  const GlRange r = device.range_of(from);
  gl.MemoryBarrier(GL_PIXEL_BUFFER_BARRIER_BIT);
  gl.PixelStorei(GL_UNPACK_ROW_LENGTH, GLint(stride / channels_of(t.format)));
  gl.BindBuffer(GL_PIXEL_UNPACK_BUFFER, r.buffer);
  gl.BindTexture(GL_TEXTURE_2D, t.texture);
  gl.TexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, t.width, t.height, t.format, GL_UNSIGNED_BYTE,
                   reinterpret_cast<const void *>(r.offset)); // in the buffer
  device.check("a copy to a texture");
}

} // namespace vigil::convert
