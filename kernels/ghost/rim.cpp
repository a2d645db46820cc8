// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/ghost/rim.h"

#include "common/cpu/device.h"
#include "common/device_cast.h"
#include "kernels/ghost/full_pixels.h"
#include "kernels/ghost/rim_at.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace vigil::ghost {
namespace {

class Reference final : public Rims {
 public:
  void apply(Plane<const std::uint8_t> mask, const ConstImage &frame, const Shifted &shifted,
             const activity::Grid &grid, Rim *cells, Queue &) override {
    check(mask, frame, shifted.picture, grid);
    const ConstImage background = shifted.seen();
    std::fill(cells, cells + grid.cells(), Rim{});
    for (int y = 0; y < mask.height; y++)
      for (int x = 0; x < mask.width; x++)
        if (on_outline(mask, x, y))
          cells[y / grid.size * grid.columns + x / grid.size] += rim_at(mask, frame, background, x, y);
  }
};

// Rows of cells on all threads.
class CpuRims final : public Rims {
 public:
  explicit CpuRims(CpuDevice &device) : device_(device) {}
  void apply(Plane<const std::uint8_t> mask, const ConstImage &frame, const Shifted &shifted,
             const activity::Grid &grid, Rim *cells, Queue &) override {
    check(mask, frame, shifted.picture, grid);
    const ConstImage background = shifted.seen();
    device_.parallel(grid.rows, 1, [&](int first, int last) {
      std::fill(cells + std::ptrdiff_t{first} * grid.columns, cells + std::ptrdiff_t{last} * grid.columns,
                Rim{});
      for (int y = first * grid.size; y < std::min(last * grid.size, mask.height); y++)
        row(mask, frame, background, grid, y, cells + std::ptrdiff_t{y / grid.size} * grid.columns);
    });
  }

 private:
  static void row(Plane<const std::uint8_t> mask, const ConstImage &frame, const ConstImage &background,
                  const activity::Grid &grid, int y, Rim *out) {
    for_each_full(mask.row(y), mask.width, [&](int x) {
      if (on_outline(mask, x, y)) out[x / grid.size] += rim_at(mask, frame, background, x, y);
    });
  }
  CpuDevice &device_;
};

} // namespace

bool is_light(const Cell &c, const BlobRim &rim, bool again) {
  if (rim.pixels < least_pixels || rim.inside == 0) return false;
  const double n = double(rim.pixels), within = double(rim.inside) / n, beyond = double(rim.outside) / n;
  const bool has_edges = double(rim.background) >= textured * textured * n;
  const double correlation = has_edges && rim.frame > 0
                                 ? double(rim.both) / std::sqrt(double(rim.frame) * double(rim.background))
                                 : 0;
  const bool much = within > weak && !(has_edges && correlation >= kept);
  const double asked = much ? (again ? goes_on : goes_on_strong) : again ? goes_on_again : goes_on;
  if (within > strong || beyond < asked * within) return false;
  if (has_edges) return correlation >= least_kept;
  const double frame = c.frame, background = c.background;
  return frame <= edges_change * background && background <= edges_change * frame;
}

std::unique_ptr<Rims> make_rims_reference() {
  return std::make_unique<Reference>();
}

std::unique_ptr<Rims> make_rims_cpu(Device &device) {
  return std::make_unique<CpuRims>(device_cast<CpuDevice>(device));
}

std::unique_ptr<Rims> make_rims(Device &device) {
  return device.backend() == Backend::cuda ? make_rims_cuda(device) : make_rims_cpu(device);
}

} // namespace vigil::ghost
