// SPDX-License-Identifier: LGPL-2.1-or-later
// The counter on the CPU: rows of cells on all threads; pixels become bits by SIMD, compiled once for each
// instruction set and chosen at run time, and a cell's part of a row is then one word.
#include "common/cpu/device.h"
#include "common/device_cast.h"
#include "kernels/cell_grid/cell_grid.h"

#include <algorithm>
#include <bit>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cell_grid/cpu.cpp"
#include "common/cpu/targets.h"
#include <hwy/foreach_target.h> // must come before highway.h
#include <hwy/highway.h>

#include "common/cpu/mask_bits-inl.h"

HWY_BEFORE_NAMESPACE();
namespace vigil::cell_grid::HWY_NAMESPACE {
namespace {

namespace bits = vigil::HWY_NAMESPACE;

// 64 pixels wide, one cell or several; `cells` of them are in the grid.
void count_block(const std::uint8_t *first, std::ptrdiff_t stride, int width, int rows, int size, Cell *out,
                 int cells) {
  constexpr int most = 8; // cells in 64 pixels
  std::uint32_t count[most] = {};
  int top[most] = {}, bottom[most] = {};
  std::uint64_t any = 0;
  const std::uint64_t cell_bits = ~std::uint64_t{0} >> (64 - size);
  std::uint8_t end[64] = {};
  for (int y = 0; y < rows; y++) {
    const std::uint8_t *p = first + y * stride;
    if (width < 64) p = static_cast<const std::uint8_t *>(std::memcpy(end, p, width));
    const std::uint64_t f = bits::full_bits(p);
    if (f == 0) continue;
    any |= f;
    for (int i = 0; i < cells; i++) {
      const std::uint64_t own = f >> (i * size) & cell_bits;
      if (own == 0) continue;
      if (count[i] == 0) top[i] = y;
      bottom[i] = y;
      count[i] += std::uint32_t(std::popcount(own));
    }
  }
  for (int i = 0; i < cells; i++) {
    const std::uint64_t own = any >> (i * size) & cell_bits;
    out[i] = {};
    if (own)
      out[i] = {count[i], std::uint8_t(std::countr_zero(own)), std::uint8_t(top[i]),
                std::uint8_t(63 - std::countl_zero(own)), std::uint8_t(bottom[i])};
  }
}

void count_row(Plane<const std::uint8_t> mask, const Grid &grid, int row, Cell *out) {
  const int per_block = 64 / grid.size, y = row * grid.size, rows = std::min(grid.size, mask.height - y);
  for (int c = 0; c < grid.columns; c += per_block) {
    const int x = c * grid.size;
    count_block(mask.row(y) + x, mask.stride, std::min(64, mask.width - x), rows, grid.size, out + c,
                std::min(per_block, grid.columns - c));
  }
}

} // namespace
} // namespace vigil::cell_grid::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace vigil::cell_grid {
namespace {

HWY_EXPORT(count_row);

class CpuCounter final : public Counter {
 public:
  explicit CpuCounter(CpuDevice &device) : device_(device) {}
  void apply(Plane<const std::uint8_t> mask, const Grid &grid, Cell *cells, Queue &) override {
    check_grid(mask, grid);
    device_.parallel(grid.rows, 1, [&](int first, int last) {
      for (int row = first; row < last; row++)
        HWY_DYNAMIC_DISPATCH(count_row)(mask, grid, row, cells + std::ptrdiff_t{row} * grid.columns);
    });
  }

 private:
  CpuDevice &device_;
};

} // namespace

std::unique_ptr<Counter> make_cpu(Device &device) {
  return std::make_unique<CpuCounter>(device_cast<CpuDevice>(device));
}

} // namespace vigil::cell_grid
#endif
