// SPDX-License-Identifier: LGPL-2.1-or-later
// Clean-up on the CPU: bands of rows on all threads, one pass after the other over the whole picture.
#include "kernels/cleanup/cpu/rows.h"

#include "common/cpu/device.h"
#include "common/device_cast.h"
#include "kernels/cleanup/cleanup.h"

#include <algorithm>
#include <atomic>
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
             const SmallObjects &small, Queue &) override {
    check_planes(f_.width, f_.height, mask, watch, small);
    const Radii r = resolve(params);
    if (!small.seen) remembers_ = false;
    if (r.median + r.open + r.close == 0 && !watch.data && !small.seen) return;
    each_band([&](int first, int last, BitPlane) { pack_rows(mask, watch, f_, first, last); });
    if (small.seen) find_small();
    if (r.median > 0)
      step([&](int first, int last, BitPlane s) { median_rows(f_, next_, r.median, first, last, s); });
    box(Box::erode, r.open);
    box(Box::dilate, r.open + r.close); // dilations in a row add up, in a rectangle also at its borders
    box(Box::erode, r.close);
    if (small.seen) keep_small(small);
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

  // S(t) of F before all steps.
  void find_small() {
    if (small_memory_.bytes() == 0) {
      const std::size_t picture = f_.size(f_.height);
      small_memory_ = DeviceBuffer(device_, 6 * picture * sizeof(std::uint64_t));
      auto *words = small_memory_.as<std::uint64_t>();
      for (std::size_t i = 0; i < 3; i++) {
        small_[i] = {words + i * picture, f_.width, f_.height};
        wide_[i] = {words + (3 + i) * picture, f_.width, f_.height};
      }
    }
    if (!remembers_) std::memset(small_memory_.as<void>(), 0, small_memory_.bytes());
    remembers_ = true;
    ring_.advance();
    const BitPlane to = small_[ring_.now()];
    each_band([&](int first, int last, BitPlane s) { median_rows(f_, to, 1, first, last, s); });
  }
  void keep_small(const SmallObjects &small) {
    const auto dilate = [&](BitPlane from, BitPlane to) {
      each_band([&](int first, int last, BitPlane s) {
        box_rows(from, to, Box::dilate, small_reach, first, last, s);
      });
    };
    dilate(small_[ring_.before(1)], wide_[0]);
    dilate(small_[ring_.before(2)], wide_[1]);
    dilate(f_, wide_[2]);
    std::memset(small.seen, 0, std::size_t(small.grid.cells()));
    each_band([&](int first, int last, BitPlane) { keep_small_rows(small, first, last); });
  }
  void keep_small_rows(const SmallObjects &small, int first, int last) {
    const int size = small.grid.size; // divides the 64 pixels of a word
    const std::uint64_t one = size == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << size) - 1;
    for (int y = first; y < last; y++) {
      const std::uint64_t *const now = small_[ring_.now()].row(y);
      for (int i = 0; i < f_.words(); i++) {
        const std::uint64_t c = now[i] & wide_[0].row(y)[i] & wide_[1].row(y)[i];
        if (c == 0) continue;
        const std::uint64_t apart = c & ~wide_[2].row(y)[i];
        for (int x = 0; x < 64; x += size) {
          const std::uint64_t pixels = one << x;
          if (!(c & pixels)) continue;
          const int cell = y / size * small.grid.columns + (64 * i + x) / size;
          // Bands may share a cell.
          if (apart & pixels) std::atomic_ref(small.seen[cell]).store(1, std::memory_order_relaxed);
          const auto keep = small.allowed ? KeepSmall(small.allowed[cell]) : KeepSmall::none;
          if (keep != KeepSmall::none) f_.row(y)[i] |= (keep == KeepSmall::all ? c : c & ~apart) & pixels;
        }
      }
    }
  }

  CpuDevice &device_;
  int bands_;
  DeviceBuffer memory_, small_memory_;
  BitPlane f_, next_, scratch_;
  SmallRing ring_;
  BitPlane small_[3], wide_[3]; // S; dilations
  bool remembers_ = false;      // S(t) and S(t-1) are those of the last calls
};

} // namespace

std::unique_ptr<Cleanup> make_cpu(Device &device, int width, int height) {
  return std::make_unique<CpuCleanup>(device_cast<CpuDevice>(device), width, height);
}

} // namespace vigil::cleanup
