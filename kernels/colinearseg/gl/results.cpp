// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/colinearseg/gl_results.h"

#include "common/gl/state.h"
#include "kernels/colinearseg/colinearseg-shaders.h"

#include <algorithm>

namespace vigil::colinearseg {

using namespace shaders;

GlResults::GlResults(const GlDevice &d, const Config &c)
    : device_(d), config_(c), target_(d), program_(GlProgram::fragment(d, {evidence_glsl, picture_frag})) {}

void GlResults::draw(Show show, GLuint frame, const GlSegmenter &s, std::span<const compose::DrawnBox> boxes,
                     const compose::Style &style, GLuint target) {
  const GlStateGuard guard(device_);
  const auto &tint = style.tint;
  program_.use();
  program_.bind("frame", 0, frame);
  program_.bind("background", 1, s.background().id());
  program_.bind("mask", 2, s.mask().id());
  program_.set("kind", static_cast<int>(show));
  program_.set("tint", tint.colour[0], tint.colour[1], tint.colour[2], std::clamp(tint.strength, 0, 256));
  target_.bind({target}, config_.width, config_.height);
  device_.draw_everywhere();
  if (show == Show::overlay && style.line > 0)
    for (const compose::DrawnBox &b : boxes.first(std::min<std::size_t>(boxes.size(), compose::max_boxes)))
      outline(b, style);
  device_.check("drawing the result");
}

// Four rectangles filled by clears; the frame's alpha stays.
void GlResults::outline(const compose::DrawnBox &b, const compose::Style &style) {
  const GlFunctions &gl = device_.gl;
  const int line = style.line;
  const auto fill = [&](int left, int top, int right, int bottom) {
    left = std::max({left, b.x, 0});
    top = std::max({top, b.y, 0});
    right = std::min({right, b.x + b.width, config_.width});
    bottom = std::min({bottom, b.y + b.height, config_.height});
    if (left >= right || top >= bottom) return;
    gl.Scissor(left, top, right - left, bottom - top);
    gl.Clear(GL_COLOR_BUFFER_BIT);
  };
  gl.Enable(GL_SCISSOR_TEST);
  gl.ColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_FALSE);
  gl.ClearColor(float(style.box[0]) / 255.f, float(style.box[1]) / 255.f, float(style.box[2]) / 255.f, 1.f);
  const int right = b.x + b.width, bottom = b.y + b.height;
  fill(b.x, b.y, right, b.y + line);
  fill(b.x, bottom - line, right, bottom);
  fill(b.x, b.y, b.x + line, bottom);
  fill(right - line, b.y, right, bottom);
  gl.ClearColor(0.f, 0.f, 0.f, 0.f);
  gl.ColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
  gl.Disable(GL_SCISSOR_TEST);
}

} // namespace vigil::colinearseg
