// SPDX-License-Identifier: LGPL-2.1-or-later
// Pictures in textures as rows of bytes in an OpenGL device's memory, and back, on the GPU. All calls are
// made on the thread where the device's context is current; its state is as before afterwards.
#pragma once

#include "common/gl/device.h"

#include <cstddef>

namespace vigil::convert {

// The upper left part of a 2D texture of 8 bits a channel, or of 16, of which from_texture() takes the upper 8.
struct GlTexels {
  GLuint texture = 0;
  GLenum format = 0; // of its pixels: GL_RED, GL_RG or GL_RGBA; OpenGL ES also has GL_LUMINANCE and _ALPHA
  int width = 0, height = 0;
  bool wide = false; // 16 bits a channel; to_texture() takes none
};

// 1, 2 or 4; 0 for formats that are none of these.
int channels_of(GLenum format);
// Rows of channels_of() bytes a pixel. Address and stride are multiples of 4, and rows have room for whole
// words of 4 bytes.
void from_texture(GlDevice &, const GlTexels &, void *to, std::ptrdiff_t stride);
void to_texture(GlDevice &, const void *from, std::ptrdiff_t stride, const GlTexels &);

} // namespace vigil::convert
