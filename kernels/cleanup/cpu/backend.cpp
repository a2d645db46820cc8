// SPDX-License-Identifier: LGPL-2.1-or-later
// Clean-up on the CPU: bands of rows on all threads, one pass after the other over the whole picture.
#include "kernels/cleanup/cpu/rows.h"

#include "common/cpu/device.h"
#include "common/device_cast.h"
#include "kernels/cleanup/cleanup.h"

#include <algorithm>
#include <atomic>
#include <bit>
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
    if (!small.seen) ring_.forget();
    if (r.median + r.open + r.close == 0 && !watch.data && !small.seen) return;
    each_band([&](int first, int last, BitPlane) { pack_rows(mask, watch, f_, first, last); });
    if (small.seen) remember_small();
    if (r.median > 0)
      step([&](int first, int last, BitPlane s) { median_rows(f_, next_, r.median, first, last, s); });
    box(Box::erode, r.open);
    box(Box::dilate, r.open + r.close); // dilations in a row add up, in a rectangle also at its borders
    box(Box::erode, r.close);
    if (small.seen) find_small(small);
    each_band([&](int first, int last, BitPlane) { unpack_rows(f_, mask, watch, first, last); });
  }

  void restore(Plane<std::uint8_t> mask, Plane<const std::uint8_t> watch, const std::uint32_t *kept,
               Queue &) override {
    check_planes(f_.width, f_.height, mask, watch, {});
    check_kept(kept);
    each_band([&](int first, int last, BitPlane) {
      for (int y = first; y < last; y++) restore_row(mask, watch, kept, y);
    });
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

  // S(t) of F before all steps, and its dilation.
  void remember_small() {
    if (small_memory_.bytes() == 0) {
      const std::size_t picture = f_.size(f_.height);
      small_memory_ = DeviceBuffer(device_, 5 * picture * sizeof(std::uint64_t));
      auto *const words = small_memory_.as<std::uint64_t>();
      for (std::size_t i = 0; BitPlane * plane : {&small_, &near_, &wide_[0], &wide_[1], &wide_[2]})
        *plane = {words + i++ * picture, f_.width, f_.height};
    }
    if (ring_.advance()) std::memset(small_memory_.as<void>(), 0, small_memory_.bytes());
    each_band([&](int first, int last, BitPlane s) { median_rows(f_, small_, 1, first, last, s); });
    dilate(small_, wide_[ring_.now()]);
  }
  void dilate(BitPlane from, BitPlane to) {
    each_band([&](int first, int last, BitPlane s) {
      box_rows(from, to, Box::dilate, small_reach, first, last, s);
    });
  }
  void find_small(const SmallObjects &small) {
    dilate(f_, near_);
    std::memset(small.seen, 0, std::size_t(small.grid.cells()));
    each_band([&](int first, int last, BitPlane) {
      for (int y = first; y < last; y++) find_small_in_row(small, y);
    });
  }
  void find_small_in_row(const SmallObjects &small, int y) {
    const int size = small.grid.size; // divides the 64 pixels of a word
    const std::uint64_t one = size == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << size) - 1;
    std::uint32_t *const kept = small.allowed ? row_of(small.kept, y) : nullptr;
    for (int i = 0; i < f_.words(); i++) {
      const std::uint64_t c =
          small_.row(y)[i] & wide_[ring_.before(1)].row(y)[i] & wide_[ring_.before(2)].row(y)[i];
      const std::uint64_t apart = c & ~near_.row(y)[i];
      std::uint64_t k = 0;
      for (int x = 0; c != 0 && x < 64; x += size) {
        const std::uint64_t pixels = one << x;
        if (!(c & pixels)) continue;
        const int cell = y / size * small.grid.columns + (64 * i + x) / size;
        // Bands may share a cell.
        if (apart & pixels) std::atomic_ref(small.seen[cell]).store(1, std::memory_order_relaxed);
        const auto keep = small.allowed ? KeepSmall(small.allowed[cell]) : KeepSmall::none;
        if (keep != KeepSmall::none) k |= (keep == KeepSmall::all ? c : c & ~apart) & pixels;
      }
      if (!kept) continue;
      kept[2 * i] = std::uint32_t(k);
      if (2 * i + 1 < row_words(f_.width)) kept[2 * i + 1] = std::uint32_t(k >> 32);
    }
  }
  void restore_row(Plane<std::uint8_t> mask, Plane<const std::uint8_t> watch, const std::uint32_t *kept,
                   int y) const {
    for (int i = 0; i < row_words(f_.width); i++)
      for (std::uint32_t bits = row_of(kept, y)[i]; bits != 0; bits &= bits - 1) {
        const int x = 32 * i + std::countr_zero(bits);
        if (!watch.data || watch.row(y)[x] != 0) mask.row(y)[x] = 255;
      }
  }
  template <class Word>
  Word *row_of(Word *kept, int y) const {
    return kept + std::size_t(y) * row_words(f_.width);
  }

  CpuDevice &device_;
  int bands_;
  DeviceBuffer memory_, small_memory_;
  BitPlane f_, next_, scratch_;
  SmallRing ring_;
  BitPlane small_, near_, wide_[3]; // S(t), D3 R(t), and D3 S of three calls
};

} // namespace

std::unique_ptr<Cleanup> make_cpu(Device &device, int width, int height) {
  return std::make_unique<CpuCleanup>(device_cast<CpuDevice>(device), width, height);
}

} // namespace vigil::cleanup
