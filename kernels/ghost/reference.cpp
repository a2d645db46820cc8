// SPDX-License-Identifier: LGPL-2.1-or-later
// Naive loops from the definition in ghost.h.
#include "kernels/ghost/luma.h"

#include <algorithm>

namespace vigil::ghost {
namespace {

class Reference final : public Edges {
 public:
  void apply(Plane<const std::uint8_t> mask, const ConstImage &frame, const Shifted &shifted,
             const activity::Grid &grid, Cell *cells, Queue &) override {
    check(mask, frame, shifted.picture, grid);
    const ConstImage background = shifted.seen();
    std::fill(cells, cells + grid.cells(), Cell{});
    for (int y = 0; y < mask.height; y++)
      for (int x = 0; x < mask.width; x++) {
        if (mask.row(y)[x] != 255) continue;
        Cell &cell = cells[y / grid.size * grid.columns + x / grid.size];
        cell += {1, 0, 0, 0};
        if (on_outline(mask, x, y)) cell += {0, 1, edge_at(frame, x, y), edge_at(background, x, y)};
      }
  }
};

} // namespace

std::unique_ptr<Edges> make_reference() {
  return std::make_unique<Reference>();
}

} // namespace vigil::ghost
