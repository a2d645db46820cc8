// SPDX-License-Identifier: LGPL-2.1-or-later
// Frames for tests and benchmarks of mog: a fixed background, noise of standard deviation 5, and textured
// blocks that move 3 pixels a frame and cover 17 % of the picture. The same seed, size and frame number give
// the same bytes.
#pragma once

#include "common/plane.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace vigil::mog {

class MovingScene {
 public:
  explicit MovingScene(std::uint64_t seed) {
    std::mt19937_64 rng(seed);
    std::normal_distribution<float> normal(0.f, 5.f);
    for (auto &v : noise_) v = static_cast<std::int8_t>(std::lround(std::clamp(normal(rng), -30.f, 30.f)));
    for (auto &v : level_) v = static_cast<std::uint8_t>(60 + rng() % 120);
  }

  void paint(const Image &out, int frame) const {
    const bool packed = out.format == PixelFormat::rgba || out.format == PixelFormat::bgra;
    const int period = std::max(8, std::min({out.width, out.height, 400}));
    for (int i = 0; i < plane_count(out.format); i++) {
      const int bytes = static_cast<int>(row_bytes(out.format, i, out.width));
      const int pair = out.format == PixelFormat::nv12 && i == 1 ? 2 : 1; // bytes a sample position
      const int scale = i > 0 ? 2 : 1;
      for (int y = 0; y < plane_rows(i, out.height); y++) {
        std::uint8_t *row = out.plane(i).row(y);
        std::uint32_t at = mix(static_cast<std::uint32_t>(frame * 7919 + i * 104729 + y));
        for (int b = 0; b < bytes; b++) {
          const int x = packed ? b / 4 : b / pair * scale;
          const bool block =
              (x + frame * 3) % period < period * 41 / 100 && y * scale % period < period * 41 / 100;
          const int level = block ? ((x + frame * 3) * 7 + y * 13 + b % 3 * 50) % 200 + 20
                                  : level_[mix(static_cast<std::uint32_t>(y * 65599 + b)) % level_.size()];
          row[b] = static_cast<std::uint8_t>(std::clamp(level + noise_[at++ % noise_.size()], 0, 255));
        }
      }
    }
  }

 private:
  static std::uint32_t mix(std::uint32_t v) {
    v = (v ^ (v >> 16)) * 0x7feb352dU;
    v = (v ^ (v >> 15)) * 0x846ca68bU;
    return v ^ (v >> 16);
  }
  std::vector<std::int8_t> noise_ = std::vector<std::int8_t>(1 << 16);
  std::vector<std::uint8_t> level_ = std::vector<std::uint8_t>(1 << 12);
};

} // namespace vigil::mog
