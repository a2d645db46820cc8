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
};

class GlCleanup final : public Cleanup {
 public:
  GlCleanup(GlDevice &device, int width, int height)
      : device_(device), width_(width), height_(height), words_((width + 31) / 32) {
    check_size(width, height);
    need_compute(device, 3);
    const std::size_t bytes = std::size_t(words_) * 4 * std::size_t(height);
    now_ = DeviceBuffer(device, bytes);
    next_ = DeviceBuffer(device, bytes);
    for (const GlSource &s : {pack_comp, sums_comp, median_comp, rows_comp, columns_comp, unpack_comp})
      program(s);
  }

  void apply(Plane<std::uint8_t> mask, Plane<const std::uint8_t> watch, const Params &params,
             Queue &) override {
    check_planes(width_, height_, mask, watch);
    const Radii r = resolve(params);
    if (r.median + r.open + r.close == 0 && !watch.data) return;
    const GlComputeGuard guard(device_);
    pack(mask, watch);
    median(r.median);
    morphology(true, r.open);
    morphology(false, r.open);
    morphology(false, r.close);
    morphology(true, r.close);
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
  void median(int radius) {
    if (radius == 0) return;
    if (!sums_) sums_ = DeviceBuffer(device_, 8 * now_.bytes());
    step(sums_comp, now_, sums_, job(radius), 8 * words_);
    step(median_comp, sums_, now_, job(radius), words_);
  }
  void morphology(bool erode, int radius) {
    if (radius == 0) return;
    step(rows_comp, now_, next_, job(radius, erode), words_);
    step(columns_comp, next_, now_, job(radius, erode), words_);
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
};

} // namespace

std::unique_ptr<Cleanup> make_gl(Device &device, int width, int height) {
  return std::make_unique<GlCleanup>(device_cast<GlDevice>(device), width, height);
}

} // namespace vigil::cleanup
