// SPDX-License-Identifier: LGPL-2.1-or-later
// Naive loops from the definition in cell_grid.h.
#include "kernels/cell_grid/cell_grid.h"

#include <algorithm>

namespace vigil::cell_grid {
namespace {

class Reference final : public Counter {
 public:
  void apply(Plane<const std::uint8_t> mask, const Grid &grid, Cell *cells, Queue &) override {
    check_grid(mask, grid);
    std::fill(cells, cells + grid.cells(), Cell{});
    for (int y = 0; y < mask.height; y++)
      for (int x = 0; x < mask.width; x++) {
        if (mask.row(y)[x] != 255) continue;
        Cell &cell = cells[y / grid.size * grid.columns + x / grid.size];
        const auto i = static_cast<std::uint8_t>(x % grid.size), j = static_cast<std::uint8_t>(y % grid.size);
        if (cell.count++ == 0) cell = {1, i, j, i, j};
        cell.left = std::min(cell.left, i);
        cell.right = std::max(cell.right, i);
        cell.top = std::min(cell.top, j);
        cell.bottom = std::max(cell.bottom, j);
      }
  }
};

} // namespace

std::unique_ptr<Counter> make_reference() {
  return std::make_unique<Reference>();
}

} // namespace vigil::cell_grid
