// SPDX-License-Identifier: LGPL-2.1-or-later
#include "common/gl/texture.h"

#include "common/error.h"
#include "common/gl/state.h"

#include <cstddef>
#include <cstdint>
#include <utility>

namespace vigil {
namespace {

struct Layout {
  GLenum format, type;
  int channels;
};
Layout layout_of(GLenum internal_format) {
  switch (internal_format) {
  case GL_RGBA8:
    return {GL_RGBA, GL_UNSIGNED_BYTE, 4};
  case GL_R8UI:
    return {GL_RED_INTEGER, GL_UNSIGNED_BYTE, 1};
  case GL_R32UI:
    return {GL_RED_INTEGER, GL_UNSIGNED_INT, 1};
  case GL_RGBA32UI:
    return {GL_RGBA_INTEGER, GL_UNSIGNED_INT, 4};
  default:
    fail(Error::Kind::bad_setting, "no layout is known for the texture format ", internal_format);
  }
}

} // namespace

GlTexture::GlTexture(const GlDevice &d, GLenum internal_format, int width, int height)
    : device_(&d), internal_format_(internal_format), width_(width), height_(height) {
  if (width < 1 || height < 1 || width > d.largest_texture() || height > d.largest_texture())
    fail(Error::Kind::bad_setting, "a texture of ", width, "x", height,
         " is not possible; this OpenGL has 1 to ", d.largest_texture(), " pixels a side");
  const Layout l = layout_of(internal_format);
  const GlFunctions &gl = d.gl;
  const GlTextureGuard bound(d);
  gl.GenTextures(1, &id_);
  gl.BindTexture(GL_TEXTURE_2D, id_);
  if (gl.TexStorage2D) // OpenGL ES binds only immutable textures as images
    gl.TexStorage2D(GL_TEXTURE_2D, 1, internal_format, width, height);
  else {
    const GlPixelStoreGuard no_buffer(d); // null is an offset where one is bound
    gl.TexImage2D(GL_TEXTURE_2D, 0, GLint(internal_format), width, height, 0, l.format, l.type, nullptr);
  }
  gl.TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
  gl.TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
  try {
    d.check("a texture");
  } catch (...) {
    gl.DeleteTextures(1, &id_);
    throw;
  }
}
GlTexture::~GlTexture() {
  if (id_) device_->gl.DeleteTextures(1, &id_);
}
void GlTexture::swap(GlTexture &o) noexcept {
  std::swap(device_, o.device_);
  std::swap(id_, o.id_);
  std::swap(internal_format_, o.internal_format_);
  std::swap(width_, o.width_);
  std::swap(height_, o.height_);
}

void GlTexture::write(const void *pixels) const {
  const Layout l = layout_of(internal_format_);
  const GlFunctions &gl = device_->gl;
  const GlPixelStoreGuard rows(*device_);
  const GlTextureGuard bound(*device_);
  gl.BindTexture(GL_TEXTURE_2D, id_);
  gl.TexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, width_, height_, l.format, l.type, pixels);
}

std::vector<GLuint> GlTexture::read() const {
  std::vector<GLuint> values;
  read(values);
  return values;
}
void GlTexture::read(std::vector<GLuint> &into) const {
  const GlStateGuard guard(*device_);
  const GlPixelStoreGuard rows(*device_);
  const GlTarget target(*device_);
  target.bind({id_}, width_, height_);
  const std::size_t n = std::size_t(width_) * height_;
  // OpenGL ES promises to read whole numbers as four channels only.
  const bool four = device_->es() || internal_format_ == GL_RGBA32UI;
  into.resize(four ? 4 * n : n);
  device_->gl.ReadPixels(0, 0, width_, height_, four ? GL_RGBA_INTEGER : GL_RED_INTEGER, GL_UNSIGNED_INT,
                         into.data());
  device_->check("reading a texture");
  if (!four || internal_format_ == GL_RGBA32UI) return;
  for (std::size_t i = 0; i < n; i++) into[i] = into[4 * i];
  into.resize(n);
}
std::vector<std::uint8_t> GlTexture::read_bytes() const {
  std::vector<std::uint8_t> bytes;
  read_bytes(bytes);
  return bytes;
}
void GlTexture::read_bytes(std::vector<std::uint8_t> &into) const {
  const GlStateGuard guard(*device_);
  const GlPixelStoreGuard rows(*device_);
  const GlTarget target(*device_);
  target.bind({id_}, width_, height_);
  into.resize(std::size_t(width_) * height_ * 4);
  device_->gl.ReadPixels(0, 0, width_, height_, GL_RGBA, GL_UNSIGNED_BYTE, into.data());
  device_->check("reading a texture");
}
void GlTexture::clear() const {
  const GlStateGuard guard(*device_);
  const GlTarget target(*device_);
  target.bind({id_}, width_, height_);
  const GLuint zero[4] = {};
  device_->gl.ClearBufferuiv(GL_COLOR, 0, zero);
}

GlTarget::GlTarget(const GlDevice &d) : device_(d) {
  d.gl.GenFramebuffers(1, &id_);
}
GlTarget::~GlTarget() {
  device_.gl.DeleteFramebuffers(1, &id_);
}
void GlTarget::bind(std::initializer_list<GLuint> textures, int width, int height) const {
  const GlFunctions &gl = device_.gl;
  gl.BindFramebuffer(GL_FRAMEBUFFER, id_);
  GLenum buffers[2] = {GL_NONE, GL_NONE};
  GLsizei count = 0;
  for (const GLuint t : textures) {
    buffers[count] = GLenum(GL_COLOR_ATTACHMENT0 + count);
    gl.FramebufferTexture2D(GL_FRAMEBUFFER, buffers[count++], GL_TEXTURE_2D, t, 0);
  }
  if (count == 1) // a second one may be left from before
    gl.FramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT1, GL_TEXTURE_2D, 0, 0);
  gl.DrawBuffers(count, buffers);
  gl.Viewport(0, 0, width, height);
  const GLenum status = gl.CheckFramebufferStatus(GL_FRAMEBUFFER);
  if (status != GL_FRAMEBUFFER_COMPLETE)
    fail(Error::Kind::device, "this OpenGL cannot draw into these textures: framebuffer status 0x", std::hex,
         status);
}

} // namespace vigil
