// SPDX-License-Identifier: LGPL-2.1-or-later
// Naive loops from the definitions in ghost.h and boundary_contrast.h.
#include "kernels/ghost/boundary_contrast_at.h"
#include "kernels/ghost/contour_features.h"

#include <algorithm>

namespace vigil::ghost {
namespace {

class Reference final : public ContourFeatures {
 public:
  void apply(Plane<const std::uint8_t> mask, const ConstImage &frame, const Shifted &shifted,
             const cell_grid::Grid &grid, Cell *edges, BoundaryContrast *rims, Queue &) override {
    check(mask, frame, shifted.picture, grid);
    const ConstImage background = shifted.seen();
    std::fill(edges, edges + grid.cells(), Cell{});
    std::fill(rims, rims + grid.cells(), BoundaryContrast{});
    for (int y = 0; y < mask.height; y++)
      for (int x = 0; x < mask.width; x++) {
        if (mask.row(y)[x] != 255) continue;
        const int cell = y / grid.size * grid.columns + x / grid.size;
        edges[cell] += {1, 0, 0, 0};
        if (!on_outline(mask, x, y)) continue;
        edges[cell] += {0, 1, edge_at(frame, x, y), edge_at(background, x, y)};
        rims[cell] += rim_at(mask, frame, background, x, y, luma_at);
      }
  }
};

} // namespace

std::unique_ptr<ContourFeatures> make_reference() {
  return std::make_unique<Reference>();
}

} // namespace vigil::ghost
