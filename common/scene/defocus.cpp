// SPDX-License-Identifier: LGPL-2.1-or-later
#include "common/scene/defocus.h"

#include <algorithm>
#include <cstddef>

namespace vigil::scene {

Defocus::Defocus(int width, int height, int radius) : width_(width), height_(height), radius_(radius) {
  for (std::vector<float> &p : planes_) p.resize(std::size_t(width) * std::size_t(height));
}

ColourRow Defocus::sharp(int y) {
  const std::size_t at = std::size_t(y) * std::size_t(width_);
  return {planes_[0].data() + at, planes_[1].data() + at, planes_[2].data() + at};
}

void Defocus::row(int y, const ColourRow &out) const {
  const int top = std::max(y - radius_, 0), bottom = std::min(y + radius_, height_ - 1);
  thread_local std::vector<float> sums; // of each column
  sums.resize(std::size_t(width_));
  float *const channels[] = {out.r, out.g, out.b};
  for (int c = 0; c < 3; c++) {
    std::fill(sums.begin(), sums.end(), 0.f);
    for (int line = top; line <= bottom; line++) {
      const float *const from = planes_[c].data() + std::size_t(line) * std::size_t(width_);
      for (int x = 0; x < width_; x++) sums[std::size_t(x)] += from[x];
    }
    for (int x = 0; x < width_; x++) {
      const int left = std::max(x - radius_, 0), right = std::min(x + radius_, width_ - 1);
      float sum = 0;
      for (int k = left; k <= right; k++) sum += sums[std::size_t(k)];
      channels[c][x] = sum / float((right - left + 1) * (bottom - top + 1));
    }
  }
}

} // namespace vigil::scene
