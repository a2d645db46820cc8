// SPDX-License-Identifier: LGPL-2.1-or-later
// The state of an OpenGL context that is shared with others. Drawing, clearing and copying depend on much
// that a neighbour may have left behind: a row length for glReadPixels writes over the end of our memory, a
// scissor leaves half of a picture out. These guards set all that our calls depend on, and put back what was
// there.
#pragma once

#include "common/gl/device.h"

#include <array>

namespace vigil {

// For copies between host memory and textures (glReadPixels, glTexSubImage2D, glTexImage2D): rows lie one
// after another without padding, and addresses are of host memory, not offsets in a bound buffer.
class GlPixelStoreGuard {
 public:
  explicit GlPixelStoreGuard(const GlDevice &);
  ~GlPixelStoreGuard();
  GlPixelStoreGuard(const GlPixelStoreGuard &) = delete;
  GlPixelStoreGuard &operator=(const GlPixelStoreGuard &) = delete;

 private:
  const GlDevice &device_;
  std::array<GLint, 14> parameters_{};
  GLint pack_buffer_ = 0, unpack_buffer_ = 0;
};

// The texture of the active unit.
class GlTextureGuard {
 public:
  explicit GlTextureGuard(const GlDevice &);
  ~GlTextureGuard();
  GlTextureGuard(const GlTextureGuard &) = delete;
  GlTextureGuard &operator=(const GlTextureGuard &) = delete;

 private:
  const GlDevice &device_;
  GLint texture_ = 0;
};

// For drawing into textures of our own, and clearing and reading them: every pixel of the viewport is written
// as the shader says. Also guards the program, vertex array, framebuffers, and textures and samplers of the
// units below.
class GlStateGuard {
 public:
  static constexpr int texture_units = 3; // the most that a shader of ours reads
  explicit GlStateGuard(const GlDevice &);
  ~GlStateGuard();
  GlStateGuard(const GlStateGuard &) = delete;
  GlStateGuard &operator=(const GlStateGuard &) = delete;

 private:
  struct Unit {
    GLint texture = 0, sampler = 0;
  };
  const GlDevice &device_;
  std::array<GLboolean, 20> enabled_{};
  GLboolean colour_mask_[4] = {};
  GLfloat clear_colour_[4] = {};
  GLint viewport_[4] = {}, scissor_[4] = {}, polygon_mode_[2] = {};
  GLint draw_framebuffer_ = 0, read_framebuffer_ = 0, vertex_array_ = 0, program_ = 0, active_unit_ = 0;
  std::array<Unit, texture_units> units_;
};

} // namespace vigil
