// SPDX-License-Identifier: LGPL-2.1-or-later
// The pictures that are made of a mask on the OpenGL device.
#pragma once

#include "kernels/colinearseg/gl.h"
#include "kernels/compose/compose.h"

#include <span>

namespace vigil::colinearseg {

class GlResults {
 public:
  GlResults(const GlDevice &, const Config &); // the device must outlive it
  // Draws into `target`, an RGBA texture of the picture's size that is not the frame.
  void draw(Show, GLuint frame, const GlSegmenter &, std::span<const compose::DrawnBox>,
            const compose::Style &, GLuint target);

 private:
  void outline(const compose::DrawnBox &, const compose::Style &);
  const GlDevice &device_;
  Config config_;
  GlTarget target_;
  GlProgram program_;
};

} // namespace vigil::colinearseg
