// SPDX-License-Identifier: LGPL-2.1-or-later
// Edges on the CPU: rows of cells on all threads.
#include "common/cpu/device.h"
#include "common/device_cast.h"
#include "kernels/ghost/full_pixels.h"
#include "kernels/ghost/luma.h"

#include <algorithm>

namespace vigil::ghost {
namespace {

void row_of_cells(Plane<const std::uint8_t> mask, const ConstImage &frame, const ConstImage &background,
                  const activity::Grid &grid, int row, Cell *out) {
  std::fill(out, out + grid.columns, Cell{});
  const int last = std::min((row + 1) * grid.size, mask.height);
  for (int y = row * grid.size; y < last; y++)
    for_each_full(mask.row(y), mask.width, [&](int x) {
      Cell &cell = out[x / grid.size];
      cell.pixels++;
      if (on_outline(mask, x, y)) cell += {0, 1, edge_at(frame, x, y), edge_at(background, x, y)};
    });
}

class CpuEdges final : public Edges {
 public:
  explicit CpuEdges(CpuDevice &device) : device_(device) {}
  void apply(Plane<const std::uint8_t> mask, const ConstImage &frame, const Shifted &shifted,
             const activity::Grid &grid, Cell *cells, Queue &) override {
    check(mask, frame, shifted.picture, grid);
    const ConstImage background = shifted.seen();
    device_.parallel(grid.rows, 1, [&](int first, int last) {
      for (int row = first; row < last; row++)
        row_of_cells(mask, frame, background, grid, row, cells + std::ptrdiff_t{row} * grid.columns);
    });
  }

 private:
  CpuDevice &device_;
};

} // namespace

std::unique_ptr<Edges> make_cpu(Device &device) {
  return std::make_unique<CpuEdges>(device_cast<CpuDevice>(device));
}

} // namespace vigil::ghost
