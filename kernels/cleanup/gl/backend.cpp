// SPDX-License-Identifier: LGPL-2.1-or-later
// Clean-up in OpenGL: F as bits, one launch for each step in rows and in columns.
#include "kernels/cleanup/cleanup.h"

#include "common/device_cast.h"
#include "common/gl/compute.h"
#include "kernels/cleanup/cleanup-shaders.h"

#include <utility>

namespace vigil::cleanup {
namespace {

using namespace shaders;

// The uniform block of bits.glsl.
struct GlStep {
  std::int32_t width, height, words;
  std::int32_t radius, erode;
  std::uint32_t mask_offset;
  std::int32_t mask_stride;
  std::uint32_t watch_offset;
  std::int32_t watch_stride, has_watch;
  std::int32_t cell_size, columns; // of the grid
  std::uint32_t allowed_offset, seen_offset;
};

class GlCleanup final : public Cleanup {
 public:
  GlCleanup(GlDevice &device, int width, int height)
      : device_(device), width_(width), height_(height), words_((width + 31) / 32) {
    check_size(width, height);
    need_compute(device, 4);
    const std::size_t bytes = std::size_t(words_) * 4 * std::size_t(height);
    now_ = DeviceBuffer(device, bytes);
    next_ = DeviceBuffer(device, bytes);
    for (const GlSource &s : {pack_comp, sums_comp, median_comp, rows_comp, columns_comp, both_comp,
                              seen_comp, keep_comp, unpack_comp})
      program(s);
  }

  void apply(Plane<std::uint8_t> mask, Plane<const std::uint8_t> watch, const Params &params,
             const SmallObjects &small, Queue &queue) override {
    check_planes(width_, height_, mask, watch, small);
    const Radii r = resolve(params);
    if (!small.seen) remembers_ = false;
    if (r.median + r.open + r.close == 0 && !watch.data && !small.seen) return;
    if (small.seen) begin_small(small, queue);
    const GlComputeGuard guard(device_);
    pack(mask, watch);
    if (small.seen) median(1, small_[ring_.now()]);
    median(r.median, now_);
    morphology(true, r.open);
    morphology(false, r.open);
    morphology(false, r.close);
    morphology(true, r.close);
    if (small.seen) keep_small(small);
    unpack(mask, watch);
  }

 private:
  const GlProgram &program(const GlSource &s) const {
    return device_.compute_program({bytes_glsl, bits_glsl, s});
  }
  GlStep job(int radius = 0, bool erode = false) const { return {width_, height_, words_, radius, erode}; }
  int rows() const { return gl_groups(height_, 4); }

  void pack(Plane<const std::uint8_t> mask, Plane<const std::uint8_t> watch) {
    GlLaunch launch(device_, program(pack_comp));
    GlStep j = job();
    j.mask_offset = launch.read(0, mask);
    j.mask_stride = std::int32_t(mask.stride);
    see(launch, watch, j);
    launch.write(2, now_);
    launch.run(j, gl_groups(words_, 32), rows());
  }
  void unpack(Plane<std::uint8_t> mask, Plane<const std::uint8_t> watch) {
    GlLaunch launch(device_, program(unpack_comp));
    GlStep j = job();
    j.mask_offset = launch.write(0, mask);
    j.mask_stride = std::int32_t(mask.stride);
    see(launch, watch, j);
    launch.read(2, now_);
    launch.run(j, gl_groups((width_ + 2) / 4 + 1, 32), rows());
  }
  void see(GlLaunch &launch, Plane<const std::uint8_t> watch, GlStep &j) const {
    j.has_watch = watch.data != nullptr;
    j.watch_offset = launch.read(1, watch.data ? static_cast<const void *>(watch.data) : now_.as());
    j.watch_stride = std::int32_t(watch.stride);
  }
  void median(int radius, const DeviceBuffer &to) {
    if (radius == 0) return;
    if (!sums_) sums_ = DeviceBuffer(device_, 8 * now_.bytes());
    step(sums_comp, now_, sums_, job(radius), 8 * words_);
    step(median_comp, sums_, to, job(radius), words_);
  }
  void morphology(bool erode, int radius) { square(now_, now_, erode, radius); }
  void square(const DeviceBuffer &from, const DeviceBuffer &to, bool erode, int radius) {
    if (radius == 0) return;
    step(rows_comp, from, next_, job(radius, erode), words_);
    step(columns_comp, next_, to, job(radius, erode), words_);
  }
  void begin_small(const SmallObjects &small, Queue &queue) {
    for (DeviceBuffer &s : small_) {
      if (!s) s = DeviceBuffer(device_, now_.bytes());
      if (!remembers_) device_.fill(s.as<void>(), 0, s.bytes(), queue);
    }
    for (DeviceBuffer &w : wide_)
      if (!w) w = DeviceBuffer(device_, now_.bytes());
    remembers_ = true;
    ring_.advance();
    device_.fill(small.seen, 0, std::size_t(small.grid.cells()), queue);
  }
  void keep_small(const SmallObjects &small) {
    const DeviceBuffer &persistent = wide_[0], &other = wide_[1];
    square(small_[ring_.before(1)], persistent, false, small_reach);
    square(small_[ring_.before(2)], other, false, small_reach);
    step(both_comp, other, persistent, job(), words_);
    step(both_comp, small_[ring_.now()], persistent, job(), words_);
    square(now_, other, false, small_reach);
    GlStep j = job();
    j.cell_size = small.grid.size;
    j.columns = small.grid.columns;
    {
      GlLaunch launch(device_, program(seen_comp));
      launch.read(0, persistent);
      launch.read(1, other);
      j.seen_offset = launch.write(2, static_cast<void *>(small.seen));
      launch.run(j, gl_groups(words_, 32), rows());
    }
    if (!small.allowed) return;
    GlLaunch launch(device_, program(keep_comp));
    launch.read(0, persistent);
    launch.write(1, now_);
    j.allowed_offset = launch.read(2, static_cast<const void *>(small.allowed));
    launch.read(3, other);
    launch.run(j, gl_groups(words_, 32), rows());
  }
  void step(const GlSource &source, const DeviceBuffer &from, const DeviceBuffer &to, const GlStep &j,
            int columns) {
    GlLaunch launch(device_, program(source));
    launch.read(0, from);
    launch.write(1, to);
    launch.run(j, gl_groups(columns, 32), rows());
  }

  GlDevice &device_;
  int width_, height_, words_;
  DeviceBuffer now_, next_, sums_;
  SmallRing ring_;
  DeviceBuffer small_[3], wide_[2]; // S; dilations
  bool remembers_ = false;          // S(t) and S(t-1) are those of the last calls
};

} // namespace

std::unique_ptr<Cleanup> make_gl(Device &device, int width, int height) {
  return std::make_unique<GlCleanup>(device_cast<GlDevice>(device), width, height);
}

} // namespace vigil::cleanup
