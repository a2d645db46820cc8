// SPDX-License-Identifier: LGPL-2.1-or-later
// An OpenGL context in which a neighbour left everything set that could spoil our work: textures are written,
// cleared, read and drawn as in a fresh context, and the neighbour finds its state as it was. In OpenGL and
// in OpenGL ES. Exit status: 0 passed, 1 failed, 77 skipped (neither can be opened).
#include "common/gl/state.h"
#include "common/error.h"
#include "common/gl/program.h"
#include "common/gl/texture.h"
#include "tests/unit.h"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

namespace {

using namespace vigil;
using test::expect;

constexpr int width = 37, height = 11; // rows that are no multiple of four bytes or words

constexpr const char *add_one = R"(
uniform usampler2D from;
out uvec4 result;
void main() {
  uint value = texelFetch(from, ivec2(gl_FragCoord.xy), 0).r;
  result = uvec4(value + 1u, 0u, 0u, 1u);
}
)";

// What a neighbour may leave, and its own objects.
class Mess {
 public:
  explicit Mess(const GlDevice &d) : d_(d), program_(GlProgram::fragment(d, {{"add_one", add_one}})) {
    const GlFunctions &gl = d.gl;
    for (const GLenum p : {GL_PACK_ROW_LENGTH, GL_UNPACK_ROW_LENGTH}) gl.PixelStorei(p, 4096);
    for (const GLenum p : {GL_PACK_ALIGNMENT, GL_UNPACK_ALIGNMENT}) gl.PixelStorei(p, 8);
    for (const GLenum p : {GL_PACK_SKIP_ROWS, GL_PACK_SKIP_PIXELS, GL_UNPACK_SKIP_ROWS, GL_UNPACK_SKIP_PIXELS,
                           GL_UNPACK_SKIP_IMAGES})
      gl.PixelStorei(p, 3);
    gl.PixelStorei(GL_UNPACK_IMAGE_HEIGHT, 7);
    if (!d.es())
      for (const GLenum p : {GL_PACK_SWAP_BYTES, GL_UNPACK_SWAP_BYTES}) gl.PixelStorei(p, 1);
    gl.GenBuffers(2, buffers_);
    for (int i = 0; i < 2; i++) {
      const GLenum target = i == 0 ? GL_PIXEL_PACK_BUFFER : GL_PIXEL_UNPACK_BUFFER;
      gl.BindBuffer(target, buffers_[i]);
      gl.BufferData(target, 64, nullptr, GL_DYNAMIC_COPY);
    }
    for (const GLenum c : {GL_BLEND, GL_CULL_FACE, GL_DEPTH_TEST, GL_RASTERIZER_DISCARD, GL_SCISSOR_TEST,
                           GL_STENCIL_TEST, GL_SAMPLE_ALPHA_TO_COVERAGE})
      gl.Enable(c);
    if (!d.es()) {
      for (const GLenum c : {GL_COLOR_LOGIC_OP, GL_FRAMEBUFFER_SRGB, GL_CLIP_DISTANCE0}) gl.Enable(c);
      if (gl.PolygonMode) gl.PolygonMode(GL_FRONT_AND_BACK, GL_LINE);
    }
    gl.ColorMask(GL_FALSE, GL_TRUE, GL_FALSE, GL_TRUE);
    gl.ClearColor(.25f, .5f, .75f, 1.f);
    gl.Scissor(1, 2, 3, 4);
    gl.Viewport(5, 6, 7, 8);
    gl.GenTextures(GlStateGuard::texture_units, textures_);
    gl.GenVertexArrays(1, &vertex_array_);
    gl.BindVertexArray(vertex_array_);
    gl.GenFramebuffers(1, &framebuffer_);
    gl.BindFramebuffer(GL_FRAMEBUFFER, framebuffer_);
    gl.GenSamplers(1, &sampler_);
    for (int i = 0; i < GlStateGuard::texture_units; i++) {
      gl.ActiveTexture(GLenum(GL_TEXTURE0 + i));
      gl.BindTexture(GL_TEXTURE_2D, textures_[i]);
      gl.BindSampler(GLuint(i), sampler_); // its filters are linear: textures of whole numbers are incomplete
    }
    gl.ActiveTexture(GL_TEXTURE0 + 5);
    gl.BindTexture(GL_TEXTURE_2D, textures_[0]);
    program_.use();
    d.check("making a mess");
  }

  // All that it set, as numbers.
  std::vector<int> state() const {
    const GlFunctions &gl = d_.gl;
    std::vector<int> s;
    const auto get = [&](GLenum name, int count = 1) {
      GLint values[4] = {};
      gl.GetIntegerv(name, values);
      s.insert(s.end(), values, values + count);
    };
    for (const GLenum p :
         {GL_PACK_ROW_LENGTH, GL_UNPACK_ROW_LENGTH, GL_PACK_ALIGNMENT, GL_UNPACK_ALIGNMENT, GL_PACK_SKIP_ROWS,
          GL_PACK_SKIP_PIXELS, GL_UNPACK_SKIP_ROWS, GL_UNPACK_SKIP_PIXELS, GL_UNPACK_SKIP_IMAGES,
          GL_UNPACK_IMAGE_HEIGHT, GL_PIXEL_PACK_BUFFER_BINDING, GL_PIXEL_UNPACK_BUFFER_BINDING,
          GL_DRAW_FRAMEBUFFER_BINDING, GL_READ_FRAMEBUFFER_BINDING, GL_VERTEX_ARRAY_BINDING,
          GL_CURRENT_PROGRAM, GL_ACTIVE_TEXTURE, GL_TEXTURE_BINDING_2D})
      get(p);
    for (const GLenum p : {GL_VIEWPORT, GL_SCISSOR_BOX, GL_COLOR_CLEAR_VALUE, GL_COLOR_WRITEMASK}) get(p, 4);
    for (const GLenum c : {GL_BLEND, GL_CULL_FACE, GL_DEPTH_TEST, GL_RASTERIZER_DISCARD, GL_SCISSOR_TEST,
                           GL_STENCIL_TEST, GL_SAMPLE_ALPHA_TO_COVERAGE})
      s.push_back(gl.IsEnabled(c));
    if (!d_.es()) {
      for (const GLenum c : {GL_COLOR_LOGIC_OP, GL_FRAMEBUFFER_SRGB, GL_CLIP_DISTANCE0})
        s.push_back(gl.IsEnabled(c));
      for (const GLenum p : {GL_PACK_SWAP_BYTES, GL_UNPACK_SWAP_BYTES}) get(p);
      GLint mode[2] = {};
      gl.GetIntegerv(GL_POLYGON_MODE, mode);
      s.push_back(mode[0]);
    }
    GLint active = 0;
    gl.GetIntegerv(GL_ACTIVE_TEXTURE, &active);
    for (int i = 0; i < GlStateGuard::texture_units; i++) {
      gl.ActiveTexture(GLenum(GL_TEXTURE0 + i));
      get(GL_TEXTURE_BINDING_2D);
      get(GL_SAMPLER_BINDING);
    }
    gl.ActiveTexture(GLenum(active));
    return s;
  }

 private:
  const GlDevice &d_;
  GlProgram program_;
  GLuint buffers_[2] = {}, textures_[GlStateGuard::texture_units] = {};
  GLuint vertex_array_ = 0, framebuffer_ = 0, sampler_ = 0;
};

// Memory that read() would overrun is found by its contents, and by ASan in its build.
void works_in_a_mess(const GlDevice &d, const std::string &api) {
  const Mess mess(d);
  const std::vector<int> before = mess.state();
  const std::size_t n = std::size_t(width) * height;

  const GlTexture numbers(d, GL_R32UI, width, height);
  std::vector<GLuint> drawn(n);
  for (std::size_t i = 0; i < n; i++) drawn[i] = GLuint(i * 2654435761u);
  numbers.write(drawn.data());
  expect(numbers.read() == drawn, api + ": whole numbers are not what was written");

  const GlTexture colours(d, GL_RGBA8, width, height);
  std::vector<std::uint8_t> picture(4 * n);
  for (std::size_t i = 0; i < picture.size(); i++) picture[i] = std::uint8_t(i * 37 + i / 256);
  colours.write(picture.data());
  expect(colours.read_bytes() == picture, api + ": colours are not what was written");

  const GlTexture bytes(d, GL_R8UI, width, height);
  std::vector<std::uint8_t> levels(n);
  for (std::size_t i = 0; i < n; i++) levels[i] = std::uint8_t(i * 91 + 5);
  bytes.write(levels.data());
  const GlTexture sums(d, GL_R32UI, width, height);
  const GlProgram adder = GlProgram::fragment(d, {{"add_one", add_one}});
  {
    const GlStateGuard guard(d);
    const GlTarget target(d);
    adder.use();
    adder.bind("from", 2, bytes.id());
    target.bind({sums.id()}, width, height);
    d.draw_everywhere();
    d.check("drawing in a mess");
  }
  const std::vector<GLuint> result = sums.read();
  bool right = true;
  for (std::size_t i = 0; i < n; i++) right = right && result[i] == levels[i] + 1u;
  expect(right, api + ": a shader did not draw what it should");

  numbers.clear();
  expect(numbers.read() == std::vector<GLuint>(n), api + ": a texture was not cleared as a whole");
  expect(mess.state() == before, api + ": the neighbour's state is not as it was");
  d.check("putting the state back");
}

} // namespace

int main() {
  int opened = 0;
  const auto one = [&](bool es) {
    std::unique_ptr<GlDevice> device;
    try {
      device = open_egl(es);
    } catch (const Error &e) {
      std::printf("SKIPPED: %s\n", e.what());
      return;
    }
    opened++;
    std::printf("%s\n", device->name().c_str());
    works_in_a_mess(*device, device->name());
  };
  const int status =
      test::run_cases("opengl state", {{"OpenGL", [&] { one(false); }}, {"OpenGL ES", [&] { one(true); }}});
  return status == 0 && opened == 0 ? test::skipped : status;
}
