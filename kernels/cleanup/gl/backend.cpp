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
  std::uint32_t allowed_offset, seen_offset, kept_offset;
};

class GlCleanup final : public Cleanup {
 public:
  GlCleanup(GlDevice &device, int width, int height)
      : device_(device), width_(width), height_(height), words_(row_words(width)) {
    check_size(width, height);
    need_compute(device, 4);
    const std::size_t bytes = std::size_t(words_) * 4 * std::size_t(height);
    now_ = DeviceBuffer(device, bytes);
    next_ = DeviceBuffer(device, bytes);
    for (const GlSource &s : {pack_comp, sums_comp, median_comp, rows_comp, columns_comp, both_comp,
                              seen_comp, keep_comp, unpack_comp, restore_comp})
      program(s);
  }

  void apply(Plane<std::uint8_t> mask, Plane<const std::uint8_t> watch, const Params &params,
             const SmallObjects &small, Queue &queue) override {
    check_planes(width_, height_, mask, watch, small);
    const Radii r = resolve(params);
    if (!small.seen) ring_.forget();
    if (r.median + r.open + r.close == 0 && !watch.data && !small.seen) return;
    if (small.seen) begin_small(small, queue);
    const GlComputeGuard guard(device_);
    pack(mask, watch);
    if (small.seen) {
      median(1, small_);
      square(small_, wide_[ring_.now()], false, small_reach);
    }
    median(r.median, now_);
    morphology(true, r.open);
    morphology(false, r.open);
    morphology(false, r.close);
    morphology(true, r.close);
    if (small.seen) find_small(small);
    unpack(mask, watch);
  }

  void restore(Plane<std::uint8_t> mask, Plane<const std::uint8_t> watch, const std::uint32_t *kept,
               Queue &) override {
    check_planes(width_, height_, mask, watch, {});
    check_kept(kept);
    const GlComputeGuard guard(device_);
    GlLaunch launch(device_, program(restore_comp));
    GlStep j = job();
    j.mask_offset = launch.write(0, mask);
    j.mask_stride = std::int32_t(mask.stride);
    see(launch, watch, j);
    j.kept_offset = launch.read(2, static_cast<const void *>(kept));
    launch.run(j, gl_groups((width_ + 2) / 4 + 1, 32), rows());
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
    for (DeviceBuffer *b : {&small_, &near_, &wide_[0], &wide_[1], &wide_[2]})
      if (!*b) *b = DeviceBuffer(device_, now_.bytes());
    if (ring_.advance())
      for (const DeviceBuffer &w : wide_) device_.fill(w.as<void>(), 0, w.bytes(), queue);
    device_.fill(small.seen, 0, std::size_t(small.grid.cells()), queue);
  }
  void find_small(const SmallObjects &small) {
    const DeviceBuffer &persistent = small_; // once its dilation was made, S(t) itself is needed no more
    for (const int calls : {1, 2}) step(both_comp, wide_[ring_.before(calls)], persistent, job(), words_);
    square(now_, near_, false, small_reach);
    GlStep j = job();
    j.cell_size = small.grid.size;
    j.columns = small.grid.columns;
    {
      GlLaunch launch(device_, program(seen_comp));
      launch.read(0, persistent);
      launch.read(1, near_);
      j.seen_offset = launch.write(2, static_cast<void *>(small.seen));
      launch.run(j, gl_groups(words_, 32), rows());
    }
    if (!small.allowed) return;
    GlLaunch launch(device_, program(keep_comp));
    launch.read(0, persistent);
    j.kept_offset = launch.write(1, static_cast<void *>(small.kept));
    j.allowed_offset = launch.read(2, static_cast<const void *>(small.allowed));
    launch.read(3, near_);
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
  DeviceBuffer small_, near_, wide_[3]; // S(t), D3 R(t), and D3 S of three calls
};

} // namespace

std::unique_ptr<Cleanup> make_gl(Device &device, int width, int height) {
  return std::make_unique<GlCleanup>(device_cast<GlDevice>(device), width, height);
}

} // namespace vigil::cleanup
