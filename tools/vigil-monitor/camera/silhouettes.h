// SPDX-License-Identifier: LGPL-2.1-or-later
// Finds the cells of a picture that hide what moves (privacy: {silhouettes}): those of cudamog's mask, grown,
// and those in the boxes of tracks. Knows no GStreamer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace vigil::monitor {

struct SilhouetteCells {
  int width = 0, height = 0;       // of the mask, in pixels
  int size = 1;                    // of a cell, in pixels of the mask
  std::vector<std::uint8_t> cells; // row by row, not 0 where the picture is covered

  int columns() const { return (width + size - 1) / size; }
  int rows() const { return (height + size - 1) / size; }
  // Whether there are as many cells as the size says.
  bool whole() const {
    return width > 0 && height > 0 && size > 0 &&
           cells.size() == static_cast<std::size_t>(columns()) * static_cast<std::size_t>(rows());
  }
};
// Null: the whole picture is covered.
using SharedSilhouettes = std::shared_ptr<const SilhouetteCells>;

class Silhouettes {
 public:
  struct Box { // in pixels of the mask
    int x, y, width, height;
    bool seen; // false: of a track that the mask may not show
  };
  struct Frame {
    const std::uint8_t *mask; // a byte a pixel; all but 0, so shadows too, is covered
    std::ptrdiff_t stride;
    int width, height;
    double seconds;     // its time
    bool says_anything; // false: the model knows nothing of this scene
  };
  // How far covers reach. Chosen on one half of the labelled video: docs/measurements/log/2026-11/monitor.md.
  struct Growth {
    double least = 0.02;     // of the picture's height, around each pixel of the mask
    double of_box = 0.05;    // of a box's shorter side, around what the mask shows in it
    double of_unseen = 0.15; // of the shorter side, around the box of a track that the mask may not show
    double hold = 0.5;       // seconds for which a cell stays covered
    double learning = 30;    // seconds for which a new model is not trusted: it holds who was there at first
  };

  Silhouettes();
  explicit Silhouettes(const Growth &);

  // For each frame in their order. Null where the mask says nothing, or cannot.
  SharedSilhouettes find(const Frame &, std::span<const Box>);
  void forget(); // what comes next is of another scene

 private:
  bool knows(const Frame &);
  void set_size(int width, int height);
  void sample(const Frame &);
  void spread(int left, int top, int right, int bottom, int by); // the mask's cells in it, to covered_
  void fill(const Box &, int by);

  const Growth growth_;
  int width_ = 0, height_ = 0;              // of the mask
  int size_ = 1, columns_ = 0, rows_ = 0;   // of cells, in pixels of the mask
  double known_since_ = -1, last_ = 0;      // known_since_ below 0: not known
  std::vector<std::uint8_t> mask_, spread_; // of cells
  std::vector<double> covered_;             // of cells: until when, in seconds
  double until_ = 0;                        // of the frame at hand
};

} // namespace vigil::monitor
