// SPDX-License-Identifier: LGPL-2.1-or-later
// Outlines on the CPU: rows of cells on all threads.
#include "common/cpu/device.h"
#include "common/device_cast.h"
#include "kernels/ghost/boundary_contrast_at.h"
#include "kernels/ghost/contour_features.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace vigil::ghost {
namespace {

// Calls each(x), from left to right, where row[x] is 255.
template <class Each>
void for_each_full(const std::uint8_t *row, int width, Each each) {
  for (int x = 0; x < width; x++) {
    const void *next = std::memchr(row + x, 255, static_cast<std::size_t>(width - x));
    if (!next) return;
    for (x = static_cast<int>(static_cast<const std::uint8_t *>(next) - row); x < width && row[x] == 255; x++)
      each(x);
  }
}

class CpuOutlines final : public ContourFeatures {
 public:
  explicit CpuOutlines(CpuDevice &device) : device_(device) {}
  void apply(Plane<const std::uint8_t> mask, const ConstImage &frame, const Shifted &shifted,
             const cell_grid::Grid &grid, Cell *edges, BoundaryContrast *rims, Queue &) override {
    check(mask, frame, shifted.picture, grid);
    const ConstImage background = shifted.seen();
    device_.parallel(grid.rows, 1, [&](int first, int last) {
      const std::ptrdiff_t begin = std::ptrdiff_t{first} * grid.columns,
                           end = std::ptrdiff_t{last} * grid.columns;
      std::fill(edges + begin, edges + end, Cell{});
      std::fill(rims + begin, rims + end, BoundaryContrast{});
      for (int y = first * grid.size; y < std::min(last * grid.size, mask.height); y++) {
        const std::ptrdiff_t cells = std::ptrdiff_t{y / grid.size} * grid.columns;
        row(mask, frame, background, grid.size, y, edges + cells, rims + cells);
      }
    });
  }

 private:
  static void row(Plane<const std::uint8_t> mask, const ConstImage &frame, const ConstImage &background,
                  int size, int y, Cell *edges, BoundaryContrast *rims) {
    for_each_full(mask.row(y), mask.width, [&](int x) {
      Cell &cell = edges[x / size];
      cell.pixels++;
      if (!on_outline(mask, x, y)) return;
      cell += {0, 1, edge_at(frame, x, y), edge_at(background, x, y)};
      rims[x / size] += rim_at(mask, frame, background, x, y, luma_at);
    });
  }
  CpuDevice &device_;
};

} // namespace

std::unique_ptr<ContourFeatures> make_cpu(Device &device) {
  return std::make_unique<CpuOutlines>(device_cast<CpuDevice>(device));
}

} // namespace vigil::ghost
