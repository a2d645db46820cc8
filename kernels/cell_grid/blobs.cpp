// SPDX-License-Identifier: LGPL-2.1-or-later
// Blobs: components of the cells that hold foreground.
#include "common/error.h"
#include "kernels/cell_grid/cell_grid.h"
#include "kernels/cell_grid/components.h"

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

// The blob that has these cells.
Blob blob_of(std::span<const int> members, std::span<const Cell> cells, const Grid &grid) {
  const auto hull_of = [&](int cell) {
    return Hull(cells[cell], cell % grid.columns, cell / grid.columns, grid.size);
  };
  Hull hull = hull_of(members[0]);
  std::uint32_t area = 0;
  for (const int cell : members) {
    area += cells[cell].count;
    hull.include(hull_of(cell));
  }
  return {hull.left, hull.top, hull.right - hull.left + 1, hull.bottom - hull.top + 1, area};
}

} // namespace

Blobs find_blobs(std::span<const Cell> cells, const Grid &grid, std::uint32_t min_area) {
  if (cells.size() != std::size_t(grid.cells()))
    fail(Error::Kind::bad_setting, "there are ", cells.size(), " cells, but the grid has ", grid.cells());
  Blobs found;
  std::vector<std::uint8_t> foreground(cells.size());
  for (std::size_t i = 0; i < cells.size(); i++) {
    found.foreground += cells[i].count;
    foreground[i] = cells[i].count > 0;
  }
  Components components;
  components.reset(grid);
  components.for_each(foreground, [&](std::span<const int> members) {
    const Blob blob = blob_of(members, cells, grid);
    if (blob.area >= min_area) found.blobs.push_back(blob);
  });
  std::stable_sort(found.blobs.begin(), found.blobs.end(),
                   [](const Blob &a, const Blob &b) { return a.area > b.area; });
  return found;
}

} // namespace vigil::cell_grid
