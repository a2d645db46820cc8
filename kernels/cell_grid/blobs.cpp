// SPDX-License-Identifier: LGPL-2.1-or-later
// Blobs: groups of neighbouring cells, found by flooding from each cell that no group has yet, row by row.
#include "common/error.h"
#include "kernels/cell_grid/cell_grid.h"

#include <algorithm>

namespace vigil::cell_grid {
namespace {

// The hull of the boxes of cells.
struct Hull {
  int left, top, right, bottom; // inclusive, in pixels of the picture

  Hull(const Cell &c, int column, int row, int size)
      : left(column * size + c.left), top(row * size + c.top), right(column * size + c.right),
        bottom(row * size + c.bottom) {}
  void include(const Hull &h) {
    left = std::min(left, h.left);
    top = std::min(top, h.top);
    right = std::max(right, h.right);
    bottom = std::max(bottom, h.bottom);
  }
};

class Flood {
 public:
  Flood(std::span<const Cell> cells, const Grid &grid) : cells_(cells), grid_(grid), seen_(cells.size(), 0) {}

  bool starts_at(int cell) const { return cells_[cell].count > 0 && !seen_[cell]; }
  // The blob that cell `first` belongs to; members() are its cells.
  Blob from(int first) {
    members_.clear();
    visit(first);
    Hull hull = hull_of(first);
    std::uint32_t area = 0;
    for (std::size_t i = 0; i < members_.size(); i++) { // grows while the group does
      const int cell = members_[i], column = cell % grid_.columns, row = cell / grid_.columns;
      area += cells_[cell].count;
      hull.include(hull_of(cell));
      for (int y = std::max(row - 1, 0); y <= std::min(row + 1, grid_.rows - 1); y++)
        for (int x = std::max(column - 1, 0); x <= std::min(column + 1, grid_.columns - 1); x++)
          if (starts_at(y * grid_.columns + x)) visit(y * grid_.columns + x);
    }
    return {hull.left, hull.top, hull.right - hull.left + 1, hull.bottom - hull.top + 1, area};
  }
  const std::vector<int> &members() const { return members_; }

 private:
  Hull hull_of(int cell) const {
    return {cells_[cell], cell % grid_.columns, cell / grid_.columns, grid_.size};
  }
  void visit(int cell) {
    seen_[cell] = 1;
    members_.push_back(cell);
  }

  std::span<const Cell> cells_;
  const Grid &grid_;
  std::vector<std::uint8_t> seen_;
  std::vector<int> members_;
};

} // namespace

Blobs find_blobs(std::span<const Cell> cells, const Grid &grid, std::uint32_t min_area,
                 std::span<std::uint8_t> cell_in_blob) {
  const auto check = [&](const char *what, std::size_t length) {
    if (length != std::size_t(grid.cells()))
      fail(Error::Kind::bad_setting, "there are ", length, " ", what, ", but the grid has ", grid.cells());
  };
  check("cells", cells.size());
  if (!cell_in_blob.empty()) check("places for marks of cells", cell_in_blob.size());
  std::fill(cell_in_blob.begin(), cell_in_blob.end(), 0);
  Blobs found;
  Flood flood(cells, grid);
  for (int i = 0; i < grid.cells(); i++) {
    found.foreground += cells[i].count;
    if (!flood.starts_at(i)) continue;
    const Blob blob = flood.from(i);
    if (blob.area < min_area) continue;
    found.blobs.push_back(blob);
    if (!cell_in_blob.empty())
      for (const int member : flood.members()) cell_in_blob[member] = 1;
  }
  std::stable_sort(found.blobs.begin(), found.blobs.end(),
                   [](const Blob &a, const Blob &b) { return a.area > b.area; });
  return found;
}

} // namespace vigil::cell_grid
