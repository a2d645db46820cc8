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

MovingCells MovingCells::grown() const {
  MovingCells wide, out;
  for (std::size_t y = 0; y < row.size(); y++) wide.row[y] = row[y] | row[y] << 1 | row[y] >> 1;
  for (std::size_t y = 0; y < row.size(); y++)
    out.row[y] = wide.row[y] | (y > 0 ? wide.row[y - 1] : 0) | (y + 1 < row.size() ? wide.row[y + 1] : 0);
  return out;
}

MovingCells MovingCells::without(const MovingCells &other) const {
  MovingCells out;
  for (std::size_t y = 0; y < row.size(); y++) out.row[y] = row[y] & ~other.row[y];
  return out;
}

MovingCells MovingCells::first_part() const {
  MovingCells part;
  const auto first = std::find_if(row.begin(), row.end(), [](std::uint32_t r) { return r != 0; });
  if (first == row.end()) return part;
  part.row[static_cast<std::size_t>(first - row.begin())] = *first & -*first;
  for (MovingCells more = part.grown() & *this; !(more == part); more = part.grown() & *this) part = more;
  return part;
}

MovingCells::Bounds MovingCells::bounds() const {
  std::uint32_t across = 0;
  int top = rows, bottom = 0;
  for (int y = 0; y < rows; y++) {
    const std::uint32_t r = row[static_cast<std::size_t>(y)];
    across |= r;
    if (!r) continue;
    top = std::min(top, y);
    bottom = y + 1;
  }
  if (!across) return {};
  const int left = std::countr_zero(across);
  return {left, top, columns - std::countl_zero(across) - left, bottom - top};
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
