// SPDX-License-Identifier: LGPL-2.1-or-later
// What is made of a mask on the OpenGL device: pictures, and the grid in which blobs are found.
#pragma once

#include "kernels/cell_grid/cell_grid.h"
#include "kernels/colinearseg/gl.h"
#include "kernels/compose/compose.h"

#include <span>
#include <vector>

namespace vigil::colinearseg {

class GlResults {
 public:
  GlResults(const GlDevice &, const Config &); // the device must outlive it
  // Draws into `target`, an RGBA texture of the picture's size that is not the frame.
  void draw(Show, GLuint frame, const GlSegmenter &, std::span<const compose::Box>, const compose::Style &,
            GLuint target);
  // The grid's cells, as cell_grid::Counter gives them; they hold until the next call. Waits for the mask.
  std::span<const cell_grid::Cell> count(const GlTexture &mask);
  const cell_grid::Grid &grid() const { return grid_; }
  // Bytes that count() has read back since the beginning.
  std::uint64_t bytes_read() const { return bytes_read_; }

 private:
  void outline(const compose::Box &, const compose::Style &);
  const GlDevice &device_;
  Config config_;
  cell_grid::Grid grid_;
  GlTarget target_;
  GlTexture cells_;
  GlProgram picture_program_, cells_program_;
  std::vector<GLuint> words_; // of cells_, read back
  std::vector<cell_grid::Cell> counted_;
  std::uint64_t bytes_read_ = 0;
};

} // namespace vigil::colinearseg
