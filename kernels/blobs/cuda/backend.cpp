// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/blobs/cuda/kernels.h"

#include "common/cuda/device.h"
#include "common/device_cast.h"

namespace vigil::blobs {
namespace {

class CudaFinder final : public Finder {
 public:
  CudaFinder(CudaDevice &device, const Config &config) : device_(device), config_(config) {
    check_config(config);
    const int words = (config.width + 31) / 32;
    const std::size_t runs = std::size_t(words) * 16 * std::size_t(config.height);
    const auto make = [&](DeviceBuffer &b, std::size_t bytes) { b = DeviceBuffer(device, bytes); };
    make(bits_, std::size_t(words) * std::size_t(config.height + 1) / 2 * 2 * 4);
    for (DeviceBuffer *b : {&parent_, &value_, &roots_}) make(*b, runs * 4);
    make(slots_, std::size_t(config.most) * sizeof(Blob));
    make(counters_, sizeof(Work::Counters));
    work_ = {bits_.as<std::uint32_t>(),
             parent_.as<std::uint32_t>(),
             value_.as<std::uint32_t>(),
             roots_.as<std::uint32_t>(),
             slots_.as<Blob>(),
             counters_.as<Work::Counters>(),
             config.width,
             config.height,
             words,
             std::uint32_t(config.most)};
    const CudaScope scope = device.enter();
    blocks_ = blocks_for(work_, device.id());
  }

  void apply(Plane<const std::uint8_t> mask, const Params &params, const Extras &extras, Results &results,
             Queue &queue) override {
    check_call(config_, mask, extras, results);
    const CudaScope scope = device_.enter();
    launch_find(work_, blocks_, mask, params, extras, &results.head(), results.memory(), stream_of(queue));
  }

 private:
  CudaDevice &device_;
  Config config_;
  DeviceBuffer bits_, parent_, value_, roots_, slots_, counters_;
  Work work_;
  int blocks_ = 0;
};

} // namespace

std::unique_ptr<Finder> make_cuda(Device &device, const Config &config) {
  return std::make_unique<CudaFinder>(device_cast<CudaDevice>(device), config);
}

} // namespace vigil::blobs
