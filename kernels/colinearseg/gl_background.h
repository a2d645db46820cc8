// SPDX-License-Identifier: LGPL-2.1-or-later
// The background of GlSegmenter: its picture, the exact values from which it is rounded, and `back`, for
// each pixel the sum of b.b over the colours b of its 3x3 pixels (shaders/back.frag).
#pragma once

#include "common/gl/program.h"
#include "common/gl/texture.h"
#include "kernels/colinearseg/gl_passes.h"
#include "kernels/colinearseg/segmenter.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace vigil::colinearseg {

class GlBackground {
 public:
  // `device` and `target` outlive it.
  GlBackground(const GlDevice &device, const Config &, const GlTarget &target);

  const GlTexture &picture() const { return picture_; } // GL_RGBA8; while learning the mean so far
  GLuint back();                                        // of the picture as it is now

  void begin_learning();
  // A given one: rgba, rows without padding.
  void set(const std::vector<std::uint8_t> &rgba);
  // Adds the frame, which is number `learnt`, to the mean.
  void learn(GlPasses &, GLuint frame, const GlTexture &mask, int learnt);
  void end_learning();
  // Moves the background towards the frame where the mask is 0, by `rate` in 1/32768.
  void adapt(GlPasses &, GLuint frame, const GlTexture &mask, int rate);

  void save(State &) const;
  void load(const State &);

 private:
  void change(GlPasses &, GLuint frame, const GlTexture &mask, int learnt, int rate);
  void draw(GLuint target); // with the current program
  GlTexture exact_texture() const;
  std::ptrdiff_t stride() const { return 4 * std::ptrdiff_t(config_.width); } // of pictures in host memory

  const GlDevice &device_;
  const Config config_;
  const GlTarget &target_;
  GlProgram back_program_, spread_program_;
  GlTexture picture_, back_;
  GlTexture exact_[2]; // only while learning or adapting
  bool back_is_current_ = false;
};

} // namespace vigil::colinearseg
