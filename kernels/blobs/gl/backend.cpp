// SPDX-License-Identifier: LGPL-2.1-or-later
// Connected components in OpenGL: union-find over segments of rows, one launch for each step (shaders/).
#include "kernels/blobs/blobs.h"

#include "common/device_cast.h"
#include "common/gl/compute.h"
#include "kernels/blobs/blobs-shaders.h"
#include "kernels/blobs/definitions.h"

#include <algorithm>
#include <string>

namespace vigil::blobs {
namespace {

using namespace shaders;

// The uniform block of work.glsl.
struct GlFindJob {
  GlPicture picture;
  std::int32_t has_picture;
  std::uint32_t mask_offset;
  std::int32_t mask_stride;
  std::uint32_t min_area, most;
  std::int32_t eight;
  std::uint32_t map_offset;
  std::int32_t map_size, map_columns, map_cells, has_map;
  std::uint32_t map_copy_offset;
  std::int32_t has_map_copy;
  std::uint32_t labels_offset;
  std::int32_t labels_stride;
  std::uint32_t results_offset;
};
static_assert(sizeof(Blob) == 88 && sizeof(Results::Head) == 32);

class GlFinder final : public Finder {
 public:
  GlFinder(GlDevice &device, const Config &config) : device_(device), config_(config) {
    check_config(config);
    need_compute(device, 8);
    const std::size_t pixels = std::size_t(config.width) * std::size_t(config.height);
    parents_ = DeviceBuffer(device, pixels * 4);
    values_ = DeviceBuffer(device, pixels * 4);
    slots_ = DeviceBuffer(device, std::size_t(config.most) * sizeof(Blob));
    counters_ = DeviceBuffer(device, 64 * 4);
    for (const GlSource &s :
         {runs_comp, unite_comp, areas_comp, levels_comp, select_comp, sums_comp, results_comp, labels_comp})
      program(s);
  }

  void apply(Plane<const std::uint8_t> mask, const Params &params, const Extras &extras, Results &results,
             Queue &queue) override {
    check_call(config_, mask, extras, results);
    const GlComputeGuard guard(device_);
    device_.fill(counters_.as(), 0, counters_.bytes(), queue);
    GlFindJob job{};
    job.picture.width = config_.width;
    job.picture.height = config_.height;
    job.mask_stride = std::int32_t(mask.stride);
    job.min_area = std::max(params.min_area, 1u);
    job.most = std::uint32_t(config_.most);
    job.eight = params.neighbours == Neighbours::eight;
    for (const GlSource &s : {runs_comp, unite_comp, areas_comp, levels_comp, select_comp}) {
      GlLaunch launch(device_, program(s));
      see(launch, mask, job);
      launch.write(2, values_);
      launch.write(3, counters_);
      launch.write(4, slots_);
      run(launch, job);
    }
    sum(mask, extras, job, queue);
    report(extras.map, results, job);
    if (extras.labels.data) label(mask, extras.labels, job);
  }

 private:
  const GlProgram &program(const GlSource &s) const {
    const bool uses_mask = std::string_view(s.path) != results_comp.path;
    return device_.compute_program({bytes_glsl, work_glsl, s}, uses_mask ? "#define USES_MASK\n" : "");
  }
  void see(GlLaunch &launch, Plane<const std::uint8_t> mask, GlFindJob &job) const {
    job.mask_offset = launch.read(0, mask);
    launch.write(1, parents_);
  }
  void run(GlLaunch &launch, const GlFindJob &job) const {
    launch.run(job, gl_groups((config_.width + 3) / 4, 32), gl_groups(config_.height, 4));
  }

  void sum(Plane<const std::uint8_t> mask, const Extras &extras, GlFindJob &job, Queue &queue) {
    const CellMap &map = extras.map;
    if (map.cells) {
      job.map_cells = map.columns * map.rows;
      device_.fill(map.cells, 0, std::size_t(job.map_cells), queue);
    }
    GlLaunch launch(device_, program(sums_comp));
    see(launch, mask, job);
    launch.read(2, values_);
    launch.write(3, slots_);
    const int planes = extras.picture.data[0] ? plane_count(extras.picture.format) : 0;
    job.has_picture = planes > 0;
    if (planes > 0) job.picture = launch.read(4, extras.picture);
    for (int i = planes; i < 3; i++) launch.read(4 + i, values_);
    job.has_map = map.cells != nullptr;
    job.map_offset = launch.write(7, map.cells ? static_cast<void *>(map.cells) : counters_.as());
    job.map_size = map.size;
    job.map_columns = map.columns;
    run(launch, job);
  }

  void report(const CellMap &map, Results &results, GlFindJob &job) {
    GlLaunch launch(device_, program(results_comp));
    launch.read(0, counters_);
    launch.read(1, slots_);
    job.results_offset = launch.write(2, &results.head());
    job.has_map_copy = map.cells && map.host;
    job.map_offset = launch.read(3, map.cells ? static_cast<void *>(map.cells) : counters_.as());
    if (job.has_map_copy)
      job.map_copy_offset = launch.write(4, map.host);
    else
      launch.read(4, values_);
    launch.run(job, gl_groups(std::max(config_.most, job.map_cells / 4 + 1), 128));
  }

  void label(Plane<const std::uint8_t> mask, const Plane<std::int32_t> &labels, GlFindJob &job) {
    GlLaunch launch(device_, program(labels_comp));
    see(launch, mask, job);
    job.labels_offset = launch.write(2, labels.data);
    job.labels_stride = std::int32_t(labels.stride);
    run(launch, job);
  }

  GlDevice &device_;
  Config config_;
  DeviceBuffer parents_, values_, slots_, counters_;
};

} // namespace

std::unique_ptr<Finder> make_gl(Device &device, const Config &config) {
  return std::make_unique<GlFinder>(device_cast<GlDevice>(device), config);
}

} // namespace vigil::blobs
