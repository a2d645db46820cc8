// SPDX-License-Identifier: LGPL-2.1-or-later
#include "moving_cells.h"

#include "kernels/rules/polygon_mask.h"

#include <algorithm>
#include <bit>

namespace vigil::monitor {
namespace {

int cell(double v, int n) {
  return std::clamp(static_cast<int>(v * n), 0, n - 1);
}

std::uint32_t bit(int x) {
  return std::uint32_t{1} << x;
}

} // namespace

bool MovingCells::any() const {
  std::uint32_t all = 0;
  for (const std::uint32_t r : row) all |= r; // no branch: this is asked of each second of a search
  return all != 0;
}

int MovingCells::count() const {
  int n = 0;
  for (const std::uint32_t r : row) n += std::popcount(r);
  return n;
}

void MovingCells::set(const Rect &r) {
  const int x0 = cell(r.x, columns), x1 = cell(r.x + r.width, columns);
  const int y1 = cell(r.y + r.height, rows);
  for (int y = cell(r.y, rows); y <= y1; y++)
    for (int x = x0; x <= x1; x++) row[static_cast<std::size_t>(y)] |= bit(x);
}

MovingCells &MovingCells::operator|=(const MovingCells &other) {
  for (std::size_t y = 0; y < row.size(); y++) row[y] |= other.row[y];
  return *this;
}

MovingCells operator&(const MovingCells &a, const MovingCells &b) {
  MovingCells out;
  for (std::size_t y = 0; y < out.row.size(); y++) out.row[y] = a.row[y] & b.row[y];
  return out;
}

MovingCells cells_of(const std::vector<Point> &polygon) {
  constexpr int fine = 16; // points in which a cell is looked at, in each direction
  constexpr int width = MovingCells::columns * fine, height = MovingCells::rows * fine;
  const std::vector<std::uint8_t> drawn = rules::polygon_mask({polygon}, width, height);
  MovingCells out;
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++)
      if (drawn[static_cast<std::size_t>(y * width + x)] == 0)
        out.row[static_cast<std::size_t>(y / fine)] |= bit(x / fine);
  if (!out.any() && !polygon.empty()) out.set({polygon[0].x, polygon[0].y, 0, 0});
  return out;
}

} // namespace vigil::monitor
