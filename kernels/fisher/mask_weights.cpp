// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/fisher/mask_weights.h"

#include <algorithm>
#include <cmath>

namespace vigil::fisher {
namespace {

// Sums over all pixels above and to the left of a corner.
class MaskSums {
 public:
  explicit MaskSums(Plane<const std::uint8_t> mask)
      : line_(std::size_t(mask.width) + 1), sums_(line_ * (std::size_t(mask.height) + 1)) {
    for (int y = 0; y < mask.height; y++) {
      std::uint64_t row = 0;
      for (int x = 0; x < mask.width; x++) {
        row += mask.row(y)[x];
        at(x + 1, y + 1) = at(x + 1, y) + row;
      }
    }
  }
  std::uint64_t inside(int left, int top, int right, int bottom) {
    return at(right, bottom) + at(left, top) - at(left, bottom) - at(right, top);
  }

 private:
  std::uint64_t &at(int x, int y) { return sums_[line_ * std::size_t(y) + std::size_t(x)]; }
  std::size_t line_;
  std::vector<std::uint64_t> sums_;
};

struct Reach {
  int first, end;
};
// Of descriptor `index` along an axis of `size` pixels, in a mask of `of_mask` pixels.
Reach reach(int index, int size, int of_mask, const SiftParams &p) {
  const double ratio = double(of_mask) / size, centre = index * p.step + 1.5 * p.bin_size + 0.5,
               half = 0.5 * bins * p.bin_size;
  const int first = std::clamp(int(std::floor((centre - half) * ratio)), 0, of_mask - 1);
  return {first, std::clamp(int(std::ceil((centre + half) * ratio)), first + 1, of_mask)};
}

} // namespace

void mask_weights(const Layout &layout, const SiftParams &p, Plane<const std::uint8_t> mask, float background,
                  std::span<float> weights) {
  MaskSums sums(mask);
  std::size_t i = 0;
  for (const ScaleLayout &s : layout.scales)
    for (int row = 0; row < s.rows; row++) {
      const Reach down = reach(row, s.height, mask.height, p);
      for (int column = 0; column < s.columns; column++) {
        const Reach across = reach(column, s.width, mask.width, p);
        const double pixels = double(across.end - across.first) * (down.end - down.first),
                     mean = double(sums.inside(across.first, down.first, across.end, down.end)) / pixels;
        weights[i++] = float(background + (1 - background) * mean / 255);
      }
    }
}

} // namespace vigil::fisher
