// SPDX-License-Identifier: LGPL-2.1-or-later
#include "common/scene/lens.h"

#include "common/scene/hash.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace vigil::scene {

Lens::Lens(int width, int height) : width_(width), height_(height) {
  for (std::vector<float> &p : planes_) p.resize(std::size_t(width) * std::size_t(height));
}

ColourRow Lens::sharp(int y) {
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

Shimmer::Shimmer(int width, int height, std::uint32_t seed, double time)
    : Lens(width, height), seed_(mix(seed, 0x68656174u)), time_(float(std::fmod(time, 4096.))) {}

void Shimmer::row(int y, const ColourRow &out) const {
  const float unit = float(height_) / 240, reach = unit * (1.6f - 1.2f * float(y) / float(height_));
  const float across = 1 / (11 * unit), down = 1 / (7 * unit);
  const float v = float(y) * down + 4 * time_;
  float *const channels[] = {out.r, out.g, out.b};
  for (int x = 0; x < width_; x++) {
    const float u = float(x) * across + time_;
    const float from_x = std::clamp(float(x) + reach * value_noise(seed_, u, v), 0.f, float(width_ - 1));
    const float from_y = std::clamp(float(y) + reach * value_noise(seed_ + 1, u, v), 0.f, float(height_ - 1));
    const int left = int(from_x), right = std::min(left + 1, width_ - 1), top = int(from_y),
              bottom = std::min(top + 1, height_ - 1);
    const float tx = from_x - float(left), ty = from_y - float(top);
    for (int c = 0; c < 3; c++) {
      const float *const upper = planes_[c].data() + std::ptrdiff_t(top) * width_, *const lower =
                                                                                       planes_[c].data() +
                                                                                       std::ptrdiff_t(
                                                                                           bottom) *
                                                                                           width_;
      const float high = upper[left] + (upper[right] - upper[left]) * tx,
                  low = lower[left] + (lower[right] - lower[left]) * tx;
      channels[c][x] = high + (low - high) * ty;
    }
  }
}

} // namespace vigil::scene
