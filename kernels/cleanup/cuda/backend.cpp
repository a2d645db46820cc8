// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/cleanup/cuda/kernels.h"

#include "common/cuda/device.h"
#include "common/device_cast.h"
#include "kernels/cleanup/cleanup.h"

namespace vigil::cleanup {
namespace {

class CudaCleanup final : public Cleanup {
 public:
  CudaCleanup(CudaDevice &device, int width, int height) : device_(device), width_(width), height_(height) {
    check_size(width, height);
    bits_ = DeviceBuffer(device, sizeof(std::uint32_t) * row_words(width) * height);
  }

  void apply(Plane<std::uint8_t> mask, Plane<const std::uint8_t> watch, const Params &params,
             const SmallObjects &small, Queue &queue) override {
    check_planes(width_, height_, mask, watch, small);
    const Radii r = resolve(params);
    if (!small.seen) ring_.forget();
    if (r.median + r.open + r.close == 0 && !watch.data && !small.seen) return;
    const CudaScope scope = device_.enter();
    const SmallSets sets = next_sets(small, queue);
    launch_pack(mask, watch, r.median, bits_.as<std::uint32_t>(), sets, stream_of(queue));
    cuda_check(cudaGetLastError(), "clean-up, median");
    launch_morphology(bits_.as<std::uint32_t>(), r.open, r.close, sets, mask, watch, stream_of(queue));
    cuda_check(cudaGetLastError(), "clean-up, open and close");
  }

  void restore(Plane<std::uint8_t> mask, Plane<const std::uint8_t> watch, const std::uint32_t *kept,
               Queue &queue) override {
    check_planes(width_, height_, mask, watch, {});
    check_kept(kept);
    const CudaScope scope = device_.enter();
    launch_restore(mask, watch, kept, stream_of(queue));
    cuda_check(cudaGetLastError(), "clean-up, small objects");
  }

 private:
  SmallSets next_sets(const SmallObjects &small, Queue &queue) {
    if (!small.seen) return {};
    const bool clear = ring_.advance();
    for (DeviceBuffer &s : small_) {
      if (!s) s = DeviceBuffer(device_, bits_.bytes());
      if (clear) device_.fill(s.as<void>(), 0, s.bytes(), queue);
    }
    const auto set = [&](int i) { return small_[i].as<std::uint32_t>(); };
    return {set(ring_.now()), set(ring_.before(1)), set(ring_.before(2)),
            small.allowed,    small.seen,           small.allowed ? small.kept : nullptr,
            small.grid.size,  small.grid.columns,   small.grid.cells()};
  }

  CudaDevice &device_;
  int width_, height_;
  DeviceBuffer bits_;
  SmallRing ring_;
  DeviceBuffer small_[3]; // S(t), S(t-1), S(t-2)
};

} // namespace

std::unique_ptr<Cleanup> make_cuda(Device &device, int width, int height) {
  return std::make_unique<CudaCleanup>(device_cast<CudaDevice>(device), width, height);
}

} // namespace vigil::cleanup
