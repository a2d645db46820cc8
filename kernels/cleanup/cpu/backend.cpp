// SPDX-License-Identifier: LGPL-2.1-or-later
// Clean-up on the CPU: bands of rows on all threads, one pass after the other over the whole picture.
#include "kernels/cleanup/cpu/rows.h"

#include "common/cpu/device.h"
#include "common/device_cast.h"
#include "kernels/cleanup/cleanup.h"

#include <algorithm>
#include <cstring>

namespace vigil::cleanup {
namespace {

// Long enough that filling the median's sums at the top of a band costs little, short enough to feed many
// threads.
constexpr int band_rows = 32;

class CpuCleanup final : public Cleanup {
 public:
  CpuCleanup(CpuDevice &device, int width, int height) : device_(device) {
    check_size(width, height);
    const BitPlane shape{nullptr, width, height};
    bands_ = (height + band_rows - 1) / band_rows;
    const std::size_t picture = shape.size(height), band = shape.size(sum_planes);
    const std::size_t bytes = (2 * picture + bands_ * band) * sizeof(std::uint64_t);
    memory_ = DeviceBuffer(device, bytes);
    auto *words = memory_.as<std::uint64_t>();
    std::memset(words, 0, bytes);
    f_ = {words, width, height};
    next_ = {words + picture, width, height};
    scratch_ = {words + 2 * picture, width, sum_planes};
  }

  void apply(Plane<std::uint8_t> mask, Plane<const std::uint8_t> watch, const Params &params,
             Queue &) override {
    check_planes(f_.width, f_.height, mask, watch);
    const Radii r = resolve(params);
    if (r.median + r.open + r.close == 0 && !watch.data) return;
    each_band([&](int first, int last, BitPlane) { pack_rows(mask, watch, f_, first, last); });
    if (r.median > 0)
      step([&](int first, int last, BitPlane s) { median_rows(f_, next_, r.median, first, last, s); });
    box(Box::erode, r.open);
    box(Box::dilate, r.open + r.close); // dilations in a row add up, in a rectangle also at its borders
    box(Box::erode, r.close);
    each_band([&](int first, int last, BitPlane) { unpack_rows(f_, mask, watch, first, last); });
  }

 private:
  template <class Work>
  void each_band(Work work) {
    device_.parallel(bands_, 1, [&](int from, int to) {
      for (int b = from; b < to; b++) {
        BitPlane scratch = scratch_;
        scratch.data += b * scratch_.size(sum_planes);
        work(b * band_rows, std::min((b + 1) * band_rows, f_.height), scratch);
      }
    });
  }
  template <class Work>
  void step(Work work) {
    each_band(work);
    std::swap(f_, next_);
  }
  void box(Box kind, int r) {
    if (r > 0) step([&](int first, int last, BitPlane s) { box_rows(f_, next_, kind, r, first, last, s); });
  }

  CpuDevice &device_;
  int bands_;
  DeviceBuffer memory_;
  BitPlane f_, next_, scratch_;
};

} // namespace

std::unique_ptr<Cleanup> make_cpu(Device &device, int width, int height) {
  return std::make_unique<CpuCleanup>(device_cast<CpuDevice>(device), width, height);
}

} // namespace vigil::cleanup
