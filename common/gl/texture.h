// SPDX-License-Identifier: LGPL-2.1-or-later
// Textures with an owner, and drawing into them.
#pragma once

#include "common/gl/device.h"

#include <initializer_list>
#include <vector>

namespace vigil {

// A 2D texture of one of the formats below, read with texelFetch (no filter, no mipmaps).
class GlTexture {
 public:
  GlTexture() = default;
  // `internal_format`: GL_RGBA8, GL_R8UI, GL_R32UI or GL_RGBA32UI. Throws Error::bad_setting when the device
  // has no textures of that size.
  GlTexture(const GlDevice &, GLenum internal_format, int width, int height);
  GlTexture(GlTexture &&o) noexcept { swap(o); }
  GlTexture &operator=(GlTexture &&o) noexcept {
    swap(o);
    return *this;
  }
  ~GlTexture();
  GLuint id() const { return id_; }
  GLenum internal_format() const { return internal_format_; }
  int width() const { return width_; }
  int height() const { return height_; }
  explicit operator bool() const { return id_ != 0; }

  // All pixels, row by row without padding: 4 bytes each for GL_RGBA8, whole numbers else.
  void write(const void *pixels) const;
  // Copies GL_R32UI or GL_RGBA32UI pixels to host memory; waits for the work before it.
  std::vector<GLuint> read() const;
  void read(std::vector<GLuint> &into) const;   // the same, into memory that may be there already
  std::vector<std::uint8_t> read_bytes() const; // GL_RGBA8
  void read_bytes(std::vector<std::uint8_t> &into) const;
  void clear() const; // to 0; whole-number formats only

 private:
  void swap(GlTexture &) noexcept;
  const GlDevice *device_ = nullptr;
  GLuint id_ = 0;
  GLenum internal_format_ = 0;
  int width_ = 0, height_ = 0;
};

// The framebuffer through which textures are drawn and read.
class GlTarget {
 public:
  explicit GlTarget(const GlDevice &d);
  ~GlTarget();
  GlTarget(const GlTarget &) = delete;
  GlTarget &operator=(const GlTarget &) = delete;
  // Further drawing goes to these textures (one or two) of this size, with a viewport over all of it.
  void bind(std::initializer_list<GLuint> textures, int width, int height) const;

 private:
  const GlDevice &device_;
  GLuint id_ = 0;
};

} // namespace vigil
