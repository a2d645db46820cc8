// SPDX-License-Identifier: LGPL-2.1-or-later
// Edges on the CPU: rows of cells on all threads. Masks are nearly empty, so runs of eight pixels without
// foreground are stepped over as one word.
#include "common/cpu/device.h"
#include "common/device_cast.h"
#include "kernels/ghost/luma.h"

#include <algorithm>
#include <cstring>

namespace vigil::ghost {
namespace {

constexpr int run = 8;

bool is_empty(const std::uint8_t *p) {
  std::uint64_t word;
  std::memcpy(&word, p, run);
  return word == 0;
}

void row_of_cells(Plane<const std::uint8_t> mask, const ConstImage &frame, const ConstImage &background,
                  const activity::Grid &grid, int row, Cell *out) {
  std::fill(out, out + grid.columns, Cell{});
  const int last = std::min((row + 1) * grid.size, mask.height);
  for (int y = row * grid.size; y < last; y++)
    for (int x = 0; x < mask.width; x++) {
      if (x % run == 0 && x + run <= mask.width && is_empty(mask.row(y) + x)) {
        x += run - 1;
        continue;
      }
      if (mask.row(y)[x] != 255) continue;
      Cell &cell = out[x / grid.size];
      cell.pixels++;
      if (on_outline(mask, x, y)) cell += {0, 1, edge_at(frame, x, y), edge_at(background, x, y)};
    }
}

class CpuEdges final : public Edges {
 public:
  explicit CpuEdges(CpuDevice &device) : device_(device) {}
  void apply(Plane<const std::uint8_t> mask, const ConstImage &frame, const ConstImage &background,
             const activity::Grid &grid, Cell *cells, Queue &) override {
    check(mask, frame, background, grid);
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
