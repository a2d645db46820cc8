// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/ghost/contour_features.h"

#include "common/device_cast.h"
#include "common/error.h"
#include "common/gl/compute.h"
#include "kernels/ghost/ghost-shaders.h"

#include <algorithm>
#include <string>

namespace vigil::ghost {
namespace {

using namespace shaders;

// The uniform block of outlines.comp.
struct GlOutlinesJob {
  GlPicture frame;
  std::uint32_t background_offset;
  std::int32_t background_stride;
  std::uint32_t mask_offset;
  std::int32_t mask_stride;
  std::uint32_t shift_offset;
  std::int32_t has_shift;
  std::int32_t cell_size, columns, first;
  std::uint32_t edges_offset, rims_offset;
};

// The plane that luma is made of, as a picture.
ConstImage luma_plane(ConstImage p) {
  if (plane_count(p.format) > 1) p.format = PixelFormat::gray8;
  return p;
}

class GlOutlines final : public ContourFeatures {
 public:
  explicit GlOutlines(GlDevice &device) : device_(device) {
    need_compute(device, 6);
    program();
  }
  void apply(Plane<const std::uint8_t> mask, const ConstImage &frame, const Shifted &background,
             const cell_grid::Grid &grid, Cell *edges, BoundaryContrast *rims, Queue &) override {
    check(mask, frame, background.picture, grid);
    static_assert(sizeof(Cell) == 16 && sizeof(BoundaryContrast) == 24);
    const auto cells = std::size_t(grid.cells());
    for (int first = 0; first < grid.cells(); first += most_groups) {
      GlLaunch launch(device_, program());
      GlOutlinesJob job{};
      job.mask_offset = launch.read(0, mask);
      job.mask_stride = std::int32_t(mask.stride);
      job.frame = launch.read(1, luma_plane(frame));
      const GlPicture b = launch.read(2, luma_plane(background.picture));
      job.background_offset = b.offset[0];
      job.background_stride = b.stride[0];
      job.has_shift = background.by != nullptr;
      job.shift_offset = launch.read(3, background.by ? static_cast<const void *>(background.by) : mask.data);
      job.cell_size = grid.size;
      job.columns = grid.columns;
      job.first = first;
      job.edges_offset = launch.write(4, edges, cells * sizeof(Cell));
      job.rims_offset = launch.write(5, rims, cells * sizeof(BoundaryContrast));
      launch.run(job, std::min(grid.cells() - first, most_groups));
    }
  }

 private:
  static constexpr int most_groups = 65535; // of a launch
  const GlProgram &program() const {
    return device_.compute_program({bytes_glsl, outlines_comp},
                                   text("#define REACH ", reach, "\n#define RIM_INSIDE ", rim_inside,
                                        "\n#define RIM_OUTSIDE ", rim_outside, "\n"));
  }
  GlDevice &device_;
};

} // namespace

std::unique_ptr<ContourFeatures> make_gl(Device &device) {
  return std::make_unique<GlOutlines>(device_cast<GlDevice>(device));
}

} // namespace vigil::ghost
