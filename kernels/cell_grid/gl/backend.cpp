// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/cell_grid/cell_grid.h"

#include "common/device_cast.h"
#include "common/gl/compute.h"
#include "kernels/cell_grid/cell-grid-shaders.h"

#include <algorithm>

namespace vigil::cell_grid {
namespace {

using namespace shaders;

// The uniform block of count.comp.
struct GlCountJob {
  std::int32_t width, height, size, columns, first;
  std::uint32_t mask_offset;
  std::int32_t mask_stride;
  std::uint32_t cells_offset;
};

class GlCounter final : public Counter {
 public:
  explicit GlCounter(GlDevice &device) : device_(device) {
    need_compute(device, 2);
    program();
  }
  void apply(Plane<const std::uint8_t> mask, const Grid &grid, Cell *cells, Queue &) override {
    check_grid(mask, grid);
    for (int first = 0; first < grid.cells(); first += most_groups) {
      GlLaunch launch(device_, program());
      GlCountJob job{grid.width,
                     grid.height,
                     grid.size,
                     grid.columns,
                     first,
                     launch.read(0, mask),
                     std::int32_t(mask.stride),
                     launch.write(1, cells, std::size_t(grid.cells()) * sizeof(Cell))};
      launch.run(job, std::min(grid.cells() - first, most_groups));
    }
  }

 private:
  static constexpr int most_groups = 65535; // of a launch
  const GlProgram &program() const { return device_.compute_program({bytes_glsl, count_comp}); }
  GlDevice &device_;
};

} // namespace

std::unique_ptr<Counter> make_gl(Device &device) {
  return std::make_unique<GlCounter>(device_cast<GlDevice>(device));
}

} // namespace vigil::cell_grid
