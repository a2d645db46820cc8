// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/colinearseg/gl_background.h"

#include "kernels/colinearseg/colinearseg-shaders.h"
#include "kernels/colinearseg/packed.h"

#include <utility>

namespace vigil::colinearseg {

GlBackground::GlBackground(const GlDevice &d, const Config &c, const GlTarget &target)
    : device_(d), config_(c), target_(target),
      back_program_(GlProgram::fragment(d, {shaders::evidence_glsl, shaders::back_frag})),
      spread_program_(GlProgram::fragment(d, {shaders::evidence_glsl, shaders::spread_frag})),
      picture_(d, GL_RGBA8, c.width, c.height), back_(d, GL_R32UI, c.width, c.height) {}

GlTexture GlBackground::exact_texture() const {
  return GlTexture(device_, GL_RGBA32UI, config_.width, config_.height);
}

void GlBackground::draw(GLuint target) {
  target_.bind({target}, config_.width, config_.height);
  device_.draw_everywhere();
}

GLuint GlBackground::back() {
  if (!back_is_current_) {
    back_program_.use();
    back_program_.bind("background", 0, picture_.id());
    back_program_.set("last", config_.width - 1, config_.height - 1);
    draw(back_.id());
    back_is_current_ = true;
  }
  return back_.id();
}

void GlBackground::begin_learning() {
  for (GlTexture &t : exact_)
    if (!t) t = exact_texture();
  exact_[0].clear();
  const std::vector<std::uint8_t> black(std::size_t(stride()) * config_.height);
  picture_.write(black.data());
  back_is_current_ = false;
}

void GlBackground::set(const std::vector<std::uint8_t> &rgba) {
  end_learning();
  picture_.write(rgba.data());
  back_is_current_ = false;
}

void GlBackground::change(GlPasses &passes, GLuint frame, const GlTexture &mask, int learnt, int rate) {
  back_is_current_ =
      passes.change_background({frame, mask, exact_[0], exact_[1], picture_, back_, learnt, rate});
  std::swap(exact_[0], exact_[1]);
}

void GlBackground::learn(GlPasses &passes, GLuint frame, const GlTexture &mask, int learnt) {
  change(passes, frame, mask, learnt, 0);
}

void GlBackground::end_learning() {
  for (GlTexture &t : exact_) t = GlTexture();
}

void GlBackground::adapt(GlPasses &passes, GLuint frame, const GlTexture &mask, int rate) {
  if (!exact_[0]) {
    for (GlTexture &t : exact_) t = exact_texture();
    spread_program_.use();
    spread_program_.bind("background", 0, picture_.id());
    draw(exact_[0].id());
  }
  change(passes, frame, mask, 0, rate);
}

void GlBackground::save(State &s) const {
  unpack_background(picture_.read_bytes(), stride(), s);
  s.exact.clear();
  if (!exact_[0]) return;
  const std::size_t n = s.mask.size();
  s.exact.resize(3 * n);
  const std::vector<GLuint> values = exact_[0].read();
  for (std::size_t i = 0; i < n; i++)
    for (int k = 0; k < 3; k++) s.exact[3 * i + k] = values[4 * i + k];
}

void GlBackground::load(const State &s) {
  set(packed_background(s, stride()));
  if (s.exact.empty()) return;
  const std::size_t n = s.mask.size();
  std::vector<GLuint> values(4 * n);
  for (std::size_t i = 0; i < n; i++)
    for (int k = 0; k < 3; k++) values[4 * i + k] = s.exact[3 * i + k];
  for (GlTexture &t : exact_) t = exact_texture();
  exact_[0].write(values.data());
}

} // namespace vigil::colinearseg
