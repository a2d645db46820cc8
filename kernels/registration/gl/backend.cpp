// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/registration/border.h"
#include "kernels/registration/registration.h"

#include "common/device_cast.h"
#include "common/error.h"
#include "common/gl/compute.h"
#include "common/shifted.h"
#include "kernels/registration/coarse.h"
#include "kernels/registration/registration-shaders.h"
#include "kernels/registration/search.h"

#include <algorithm>
#include <string>
#include <utility>

namespace vigil::registration {
namespace {

using namespace shaders;

// The uniform block of state.glsl.
struct GlSearchJob {
  GlPicture picture;
  std::int32_t reach, range, fresh;
  std::int32_t tile_width, tile_height, tile_columns, tiles, step, across, candidates;
  std::int32_t cell, cell_step;
  std::int32_t columns[coarse_levels], rows[coarse_levels];
  std::int32_t level, of_frame;
  std::uint32_t sway_offset;
};
static_assert(sizeof(AppliedShift) == 44 && coarse_levels == 3);

// The uniform block of border.comp.
struct GlBorderJob {
  std::int32_t width, height, pixel_bytes, room;
  std::uint32_t offset;
  std::int32_t stride;
};

// The plane that luma is made of, as a picture.
ConstImage plane_of_luma(ConstImage p) {
  if (plane_count(p.format) > 1) p.format = PixelFormat::gray8;
  return p;
}

std::string constants() {
  return text("#define MOST_POINTS ", most_points, "\n#define LEAST_EDGE ", least_edge,
              "\n#define LEAST_POINTS ", least_points, "\n#define SHARE_UNIT ", share_unit,
              "\n#define MOST_STEPS ", most_steps, "\n#define LEVEL_UNITS ", level_units,
              "\n#define LEAST_SLOPE ", least_slope, "\n#define LEAST_SCORE ", least_score,
              "\n#define AT_ONCE ", at_once, "\n#define STILL ", still, "\n#define MARGIN ", margin, "\n");
}

class GlRegistration final : public Registration {
 public:
  explicit GlRegistration(GlDevice &device) : device_(device), constants_(constants()) {
    need_compute(device, 3);
    for (const GlSource &s : {points_comp, means_comp, slopes_comp}) program(s);
    for (const GlSource &s : {near_comp, far_comp}) search_program(s);
  }

  void set_background(const ConstImage &background, Queue &queue) override {
    check_background(background);
    const GlComputeGuard guard(device_);
    const bool other =
        !state_ || background.width != background_.width || background.height != background_.height;
    background_ = background;
    const TileGrid tiles(background.width, background.height);
    const CoarseGrid grid(background.width, background.height);
    if (other) {
      std::size_t cells = 0;
      for (int i = 0; i < coarse_levels; i++) cells += std::size_t(grid.cells(i));
      DeviceBuffer state(device_, 4 * (points_at + 4 * std::size_t{most_points} + 4 * cells));
      device_.fill(state.as(), 0, state.bytes(), queue);
      if (state_) device_.copy(state.as(), state_.as(), 4 * points_at); // what is known of frames stays
      state_ = std::move(state);
    }
    device_.fill(state_.as(), 0, 4, queue); // the number of points
    GlSearchJob job = job_for(tiles, grid);
    {
      GlLaunch launch(device_, program(points_comp));
      see(launch, background, job);
      launch.run(job, 2 * tiles.count());
    }
    build(background, grid, job);
  }

  void find(const ConstImage &frame, AppliedShift *sway, AppliedShift *host_copy, Queue &) override {
    check(frame, background_);
    const GlComputeGuard guard(device_);
    const CoarseGrid grid(frame.width, frame.height);
    GlSearchJob job = job_for(TileGrid(frame.width, frame.height), grid);
    job.fresh = std::exchange(fresh_, false);
    search(near_comp, frame, sway, job);
    job.of_frame = 1;
    build(frame, grid, job);
    search(far_comp, frame, sway, job);
    if (host_copy) device_.copy(host_copy, sway, sizeof *sway);
  }

  void forget() override { fresh_ = true; }

 private:
  static constexpr std::size_t points_at = 16; // words of the state before the points

  const GlProgram &program(const GlSource &s) const {
    return device_.compute_program({bytes_glsl, state_glsl, s}, constants_);
  }
  const GlProgram &search_program(const GlSource &s) const {
    return device_.compute_program({bytes_glsl, state_glsl, search_glsl, s}, constants_);
  }
  static GlSearchJob job_for(const TileGrid &t, const CoarseGrid &g) {
    GlSearchJob job{};
    job.tile_width = t.width;
    job.tile_height = t.height;
    job.tile_columns = t.columns;
    job.tiles = t.count();
    job.step = t.step;
    job.across = t.across;
    job.candidates = t.candidates();
    job.cell = g.cell;
    job.cell_step = g.step;
    std::copy_n(g.columns, coarse_levels, job.columns);
    std::copy_n(g.rows, coarse_levels, job.rows);
    return job;
  }
  void see(GlLaunch &launch, const ConstImage &picture, GlSearchJob &job) const {
    job.picture = launch.read(0, plane_of_luma(picture));
    launch.write(1, state_);
    const int longest = std::max(picture.width, picture.height);
    job.reach = reach_of(longest);
    job.range = range_of(longest);
  }
  // The pyramid of a picture.
  void build(const ConstImage &picture, const CoarseGrid &grid, GlSearchJob &job) {
    for (const GlSource &s : {means_comp, slopes_comp})
      for (int level = 0; level < coarse_levels; level++) {
        if (grid.cells(level) == 0) continue;
        GlLaunch launch(device_, program(s));
        see(launch, picture, job);
        job.level = level;
        launch.run(job, gl_groups(grid.cells(level), 128));
      }
  }
  void search(const GlSource &s, const ConstImage &frame, AppliedShift *sway, GlSearchJob &job) {
    GlLaunch launch(device_, search_program(s));
    see(launch, frame, job);
    job.sway_offset = launch.write(2, sway);
    launch.run(job, 1);
  }

  GlDevice &device_;
  const std::string constants_;
  DeviceBuffer state_;
  ConstImage background_;
  bool fresh_ = true;
};

} // namespace

std::unique_ptr<Registration> make_gl(Device &device) {
  return std::make_unique<GlRegistration>(device_cast<GlDevice>(device));
}

void fill_border_gl(Device &device, const Image &image, int pixels, Queue &) {
  auto &gl = device_cast<GlDevice>(device);
  need_compute(gl, 1);
  const GlComputeGuard guard(gl);
  for (int i = 0; i < plane_count(image.format); i++) {
    const auto pixel = int(pixel_bytes(image.format, i));
    GlLaunch launch(gl, gl.compute_program({bytes_glsl, border_comp}));
    GlBorderJob job{int(row_bytes(image.format, i, image.width)) / pixel,
                    plane_rows(i, image.height),
                    pixel,
                    in_plane(pixels, i),
                    launch.write(0, image.data[i]),
                    std::int32_t(image.stride[i])};
    launch.run(job, gl_groups((job.width + 2 * job.room) * pixel, 32),
               gl_groups(job.height + 2 * job.room, 4));
  }
}

} // namespace vigil::registration
