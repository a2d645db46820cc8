// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/rules/polygon_mask.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

namespace vigil::rules {

std::vector<std::uint8_t> polygon_mask(const std::vector<std::vector<Point>> &polygons, int width,
                                       int height) {
  std::vector<std::uint8_t> out(static_cast<std::size_t>(width) * static_cast<std::size_t>(height), 255);
  // The first pixel of a row that is not left of `x`, by the comparison that contains() makes.
  const auto first_from = [width](double x) {
    const auto left = [&](int pixel) { return (pixel + 0.5) / width < x; };
    int at = std::clamp(static_cast<int>(std::ceil(x * width - 0.5)), 0, width);
    while (at > 0 && !left(at - 1)) at--;
    while (at < width && left(at)) at++;
    return at;
  };
  // The row from whose centre on y is not above; likewise.
  const auto first_row = [height](double y) {
    const auto above = [&](int row) { return !(y > (row + 0.5) / height); };
    int at = std::clamp(static_cast<int>(std::ceil(y * height - 0.5)), 0, height);
    while (at > 0 && above(at - 1)) at--;
    while (at < height && !above(at)) at++;
    return at;
  };
  // Where edges cross the centre line of each row. An edge is asked for the rows alone that it crosses.
  std::vector<std::vector<std::pair<int, int>>> spans(static_cast<std::size_t>(height));
  std::vector<std::vector<double>> crossings(static_cast<std::size_t>(height)); // of one polygon
  for (const auto &polygon : polygons) {
    int top = height, bottom = 0;
    for (std::size_t i = 0, j = polygon.size() - 1; i < polygon.size(); j = i++) {
      const Point a = polygon[i], b = polygon[j];
      const int from = first_row(std::min(a.y, b.y)), to = first_row(std::max(a.y, b.y));
      for (int row = from; row < to; row++)
        crossings[static_cast<std::size_t>(row)].push_back(x_at(a, b, (row + 0.5) / height));
      top = std::min(top, from);
      bottom = std::max(bottom, to);
    }
    for (int row = top; row < bottom; row++) {
      auto &at = crossings[static_cast<std::size_t>(row)];
      std::sort(at.begin(), at.end());
      for (std::size_t i = 0; i + 1 < at.size(); i += 2)
        spans[static_cast<std::size_t>(row)].emplace_back(first_from(at[i]), first_from(at[i + 1]));
      at.clear();
    }
  }
  // How many more polygons a pixel is in than the one left of it: so no pixel is filled twice.
  std::vector<int> more(static_cast<std::size_t>(width) + 1);
  for (int row = 0; row < height; row++) {
    const auto &in_row = spans[static_cast<std::size_t>(row)];
    if (in_row.empty()) continue;
    int first = width, last = 0;
    for (const auto &[from, to] : in_row) {
      more[static_cast<std::size_t>(from)]++;
      more[static_cast<std::size_t>(to)]--;
      first = std::min(first, from);
      last = std::max(last, to);
    }
    std::uint8_t *const pixels = out.data() + static_cast<std::size_t>(row) * static_cast<std::size_t>(width);
    int in = 0;
    for (int x = first; x <= last; x++) {
      in += std::exchange(more[static_cast<std::size_t>(x)], 0);
      if (in > 0) pixels[x] = 0;
    }
  }
  return out;
}

} // namespace vigil::rules
