// SPDX-License-Identifier: LGPL-2.1-or-later
// The steps of a frame in OpenGL. Compute shaders (OpenGL 4.3, OpenGL ES 3.1) and fragment shaders (OpenGL
// 3.3, OpenGL ES 3.0) do them in their own ways.
#pragma once

#include "common/gl/texture.h"
#include "kernels/colinearseg/colinearseg.h"

#include <memory>
#include <span>

namespace vigil::colinearseg {

// Labels and thresholds are packed, 32 pixels a word: see shaders/field.glsl.
class GlPasses {
 public:
  struct Pictures {
    GLuint frame, background, back;
    int width, height;
  };
  virtual ~GlPasses() = default;
  // Writes the thresholds of the first iteration and of the others.
  virtual void thresholds(const Pictures &, const Constants &, const GlTexture &first,
                          const GlTexture &other) = 0;
  // Iterates over mask[0]; the result is in mask[0] again.
  virtual void iterate(GlTexture (&mask)[2], const GlTexture &thresholds,
                       std::span<const Order> iterations) = 0;
  // One step of the background. What it reads: frame, mask, `exact`; what it writes all of: the others.
  struct Step {
    GLuint frame;
    const GlTexture &mask, &exact, &next, &background, &back;
    int learnt; // > 0: the frame, which is number `learnt`, is added; 0: adapt with `rate` (in 1/32768)
    int rate;
  };
  // Writes `next` and `background`. Returns whether it wrote `back` as well.
  virtual bool change_background(const Step &) = 0;
};
std::unique_ptr<GlPasses> make_compute_passes(const GlDevice &);
std::unique_ptr<GlPasses> make_fragment_passes(const GlDevice &, const Config &);

} // namespace vigil::colinearseg
