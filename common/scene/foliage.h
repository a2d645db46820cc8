// SPDX-License-Identifier: LGPL-2.1-or-later
// Leaves that sway: painted once, then shown displaced.
//
// The displacement at (x, y) is that of a swinging branch, A sin(w t + f(x, y)), where the phase f varies
// smoothly over the picture; two planes p = A cos f and q = A sin f make it p sin(w t) + q cos(w t) without a
// sine per pixel.
#pragma once

#include "common/scene/camera.h"
#include "common/scene/hash.h"
#include "common/scene/shapes.h"
#include "common/scene/story.h"

#include <cstdint>
#include <vector>

namespace vigil::scene {

class Foliage {
 public:
  // The pixels first .. last-1 of row y of the picture are those that leaves may show in; false: none.
  bool span(int y, int &first, int &last) const;

  // How far the branches are at a time.
  struct Gust {
    float sine, cosine;
  };
  static Gust gust(const Plot &, double time);
  // Cover (0..1) and colours already multiplied by it, of pixels first .. last-1 of row y, the first at index
  // 0. Null colours: cover alone.
  void row(int y, int first, int last, const Gust &, float *cover, float *r, float *g, float *b) const;

  // Leaves for a pattern: a hedge along the house, and branches and bushes in front of everything.
  static std::vector<Foliage> behind(const Plot &, std::uint32_t seed, int width, int height, const Camera &);
  static std::vector<Foliage> in_front(const Plot &, std::uint32_t seed, int width, int height);

 private:
  struct Leaf {
    Capsule shape; // pixels
    Rgb colour;
  };
  // Leaves along short lines. `low` and `high` in parts of the unit, from the corner.
  struct Twigs {
    int count;
    ScenePoint corner, low, high; // where they start
    ScenePoint droop;             // where they hang to
    float unit;                   // pixels
    bool contrast = false;        // leaves against the light
  };
  static std::vector<Leaf> twigs_of(Random &, const Twigs &);
  // `swing`: pixels that a branch moves to either side in a wind of 1. `unit`: the height of the picture.
  Foliage(const std::vector<Leaf> &, std::uint32_t key, int width, int height, float swing, float wind,
          float unit);
  void paint(const Leaf &);
  void find_spans(int reach, int picture_width);

  struct Span {
    int first, last;
  };
  int x_ = 0, y_ = 0, width_ = 0, height_ = 0; // of the layer, in the picture
  std::vector<std::uint8_t> rgba_;             // colours multiplied by alpha; one clear pixel around it all
  std::vector<float> p_, q_;                   // pixels
  std::vector<Span> spans_;                    // of each row, in the picture
};

} // namespace vigil::scene
