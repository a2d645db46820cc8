// SPDX-License-Identifier: LGPL-2.1-or-later
#include "common/gl/state.h"

#include <cstddef>
#include <iterator>
#include <tuple>

namespace vigil {
namespace {

struct Parameter {
  GLenum name;
  GLint needed;
  bool desktop; // OpenGL ES lacks it
};
constexpr Parameter pixel_store[] = {
    {GL_PACK_ALIGNMENT, 1, false},     {GL_PACK_ROW_LENGTH, 0, false},    {GL_PACK_SKIP_ROWS, 0, false},
    {GL_PACK_SKIP_PIXELS, 0, false},   {GL_UNPACK_ALIGNMENT, 1, false},   {GL_UNPACK_ROW_LENGTH, 0, false},
    {GL_UNPACK_SKIP_ROWS, 0, false},   {GL_UNPACK_SKIP_PIXELS, 0, false}, {GL_UNPACK_IMAGE_HEIGHT, 0, false},
    {GL_UNPACK_SKIP_IMAGES, 0, false}, {GL_PACK_SWAP_BYTES, 0, true},     {GL_PACK_LSB_FIRST, 0, true},
    {GL_UNPACK_SWAP_BYTES, 0, true},   {GL_UNPACK_LSB_FIRST, 0, true},
};

// Each of these, where it is on, keeps pixels from being written or changes what is written.
struct Capability {
  GLenum name;
  bool desktop;
};
constexpr Capability capabilities[] = {
    {GL_BLEND, false},           {GL_CULL_FACE, false},          {GL_DEPTH_TEST, false},
    {GL_DITHER, false},          {GL_RASTERIZER_DISCARD, false}, {GL_SAMPLE_ALPHA_TO_COVERAGE, false},
    {GL_SAMPLE_COVERAGE, false}, {GL_SCISSOR_TEST, false},       {GL_STENCIL_TEST, false},
    {GL_COLOR_LOGIC_OP, true},   {GL_FRAMEBUFFER_SRGB, true},    {GL_SAMPLE_ALPHA_TO_ONE, true},
    {GL_CLIP_DISTANCE0, true},   {GL_CLIP_DISTANCE1, true},      {GL_CLIP_DISTANCE2, true},
    {GL_CLIP_DISTANCE3, true},   {GL_CLIP_DISTANCE4, true},      {GL_CLIP_DISTANCE5, true},
    {GL_CLIP_DISTANCE6, true},   {GL_CLIP_DISTANCE7, true},
};

// What another context has deleted meanwhile cannot be bound again.
GLuint if_it_exists(GLint name, GLboolean(APIENTRYP exists)(GLuint)) {
  return name != 0 && exists(GLuint(name)) ? GLuint(name) : 0;
}

} // namespace

GlPixelStoreGuard::GlPixelStoreGuard(const GlDevice &d) : device_(d) {
  static_assert(std::size(pixel_store) == std::tuple_size_v<decltype(parameters_)>);
  const GlFunctions &gl = d.gl;
  for (std::size_t i = 0; i < parameters_.size(); i++) {
    const Parameter &p = pixel_store[i];
    if (p.desktop && d.es()) continue;
    gl.GetIntegerv(p.name, &parameters_[i]);
    gl.PixelStorei(p.name, p.needed);
  }
  gl.GetIntegerv(GL_PIXEL_PACK_BUFFER_BINDING, &pack_buffer_);
  gl.GetIntegerv(GL_PIXEL_UNPACK_BUFFER_BINDING, &unpack_buffer_);
  gl.BindBuffer(GL_PIXEL_PACK_BUFFER, 0);
  gl.BindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
}
GlPixelStoreGuard::~GlPixelStoreGuard() {
  const GlFunctions &gl = device_.gl;
  for (std::size_t i = 0; i < parameters_.size(); i++)
    if (!pixel_store[i].desktop || !device_.es()) gl.PixelStorei(pixel_store[i].name, parameters_[i]);
  gl.BindBuffer(GL_PIXEL_PACK_BUFFER, if_it_exists(pack_buffer_, gl.IsBuffer));
  gl.BindBuffer(GL_PIXEL_UNPACK_BUFFER, if_it_exists(unpack_buffer_, gl.IsBuffer));
}

GlTextureGuard::GlTextureGuard(const GlDevice &d) : device_(d) {
  d.gl.GetIntegerv(GL_TEXTURE_BINDING_2D, &texture_);
}
GlTextureGuard::~GlTextureGuard() {
  device_.gl.BindTexture(GL_TEXTURE_2D, if_it_exists(texture_, device_.gl.IsTexture));
}

GlStateGuard::GlStateGuard(const GlDevice &d) : device_(d) {
  static_assert(std::size(capabilities) == std::tuple_size_v<decltype(enabled_)>);
  const GlFunctions &gl = d.gl;
  gl.GetIntegerv(GL_VIEWPORT, viewport_);
  gl.GetIntegerv(GL_SCISSOR_BOX, scissor_);
  gl.GetBooleanv(GL_COLOR_WRITEMASK, colour_mask_);
  gl.GetFloatv(GL_COLOR_CLEAR_VALUE, clear_colour_);
  gl.GetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &draw_framebuffer_);
  gl.GetIntegerv(GL_READ_FRAMEBUFFER_BINDING, &read_framebuffer_);
  gl.GetIntegerv(GL_VERTEX_ARRAY_BINDING, &vertex_array_);
  gl.GetIntegerv(GL_CURRENT_PROGRAM, &program_);
  gl.GetIntegerv(GL_ACTIVE_TEXTURE, &active_unit_);
  for (int i = 0; i < texture_units; i++) {
    gl.ActiveTexture(GLenum(GL_TEXTURE0 + i));
    gl.GetIntegerv(GL_TEXTURE_BINDING_2D, &units_[i].texture);
    gl.GetIntegerv(GL_SAMPLER_BINDING, &units_[i].sampler);
    if (units_[i].sampler) gl.BindSampler(GLuint(i), 0); // its filter may make our textures incomplete
  }
  for (std::size_t i = 0; i < enabled_.size(); i++) {
    const Capability &c = capabilities[i];
    if (c.desktop && d.es()) continue;
    enabled_[i] = gl.IsEnabled(c.name);
    if (enabled_[i]) gl.Disable(c.name);
  }
  gl.ColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
  if (!d.es() && gl.PolygonMode) {
    gl.GetIntegerv(GL_POLYGON_MODE, polygon_mode_);
    if (polygon_mode_[0] != GL_FILL) gl.PolygonMode(GL_FRONT_AND_BACK, GL_FILL);
  }
}
GlStateGuard::~GlStateGuard() {
  const GlFunctions &gl = device_.gl;
  if (!device_.es() && gl.PolygonMode && polygon_mode_[0] != GL_FILL)
    gl.PolygonMode(GL_FRONT_AND_BACK, GLenum(polygon_mode_[0]));
  gl.ColorMask(colour_mask_[0], colour_mask_[1], colour_mask_[2], colour_mask_[3]);
  for (std::size_t i = 0; i < enabled_.size(); i++) {
    if (capabilities[i].desktop && device_.es()) continue;
    (enabled_[i] ? gl.Enable : gl.Disable)(capabilities[i].name);
  }
  for (int i = 0; i < texture_units; i++) {
    gl.ActiveTexture(GLenum(GL_TEXTURE0 + i));
    gl.BindTexture(GL_TEXTURE_2D, if_it_exists(units_[i].texture, gl.IsTexture));
    if (units_[i].sampler) gl.BindSampler(GLuint(i), if_it_exists(units_[i].sampler, gl.IsSampler));
  }
  gl.ActiveTexture(GLenum(active_unit_));
  gl.UseProgram(if_it_exists(program_, gl.IsProgram));
  gl.BindVertexArray(GLuint(vertex_array_));
  gl.BindFramebuffer(GL_DRAW_FRAMEBUFFER, GLuint(draw_framebuffer_));
  gl.BindFramebuffer(GL_READ_FRAMEBUFFER, GLuint(read_framebuffer_));
  gl.ClearColor(clear_colour_[0], clear_colour_[1], clear_colour_[2], clear_colour_[3]);
  gl.Scissor(scissor_[0], scissor_[1], scissor_[2], scissor_[3]);
  gl.Viewport(viewport_[0], viewport_[1], viewport_[2], viewport_[3]);
}

} // namespace vigil
