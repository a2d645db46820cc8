// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/blobs/cuda/kernels.h"

#include "common/cuda/device.h"
#include "common/device_cast.h"

#include <algorithm>

namespace vigil::blobs {
namespace {

class CudaFinder final : public Finder {
 public:
  CudaFinder(CudaDevice &device, const Config &config) : device_(device), config_(config) {
    check_config(config);
    const int words = (config.width + 31) / 32;
    const std::size_t runs = std::size_t(words) * 16 * std::size_t(config.height);
    const auto make = [&](DeviceBuffer &b, std::size_t bytes) { b = DeviceBuffer(device, bytes); };
    make(bits_, std::size_t(words) * std::size_t(config.height) * 4);
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
  }

  void apply(Plane<const std::uint8_t> mask, const Params &params, const Extras &extras, Results &results,
             Queue &queue) override {
    check_call(config_, mask, extras, results);
    const CudaScope scope = device_.enter();
    CUstream_st *const stream = stream_of(queue);
    const bool eight = params.neighbours == Neighbours::eight;
    const CellMap &map = extras.map;
    if (map.cells)
      cuda_check(cudaMemsetAsync(map.cells, 0, std::size_t(map.columns) * std::size_t(map.rows), stream),
                 "clearing the map of blobs");
    launch_tiles(work_, mask, eight, stream);
    launch_borders(work_, eight, stream);
    launch_roots(work_, stream);
    if (extras.labels.data) launch_labels(work_, extras.labels, stream);
    launch_slots(work_, std::max(params.min_area, 1u), stream);
    launch_sums(work_, extras.picture, map, stream);
    launch_results(work_, &results.head(), results.memory(), stream);
    cuda_check(cudaGetLastError(), "finding blobs");
  }

 private:
  CudaDevice &device_;
  Config config_;
  DeviceBuffer bits_, parent_, value_, roots_, slots_, counters_;
  Work work_;
};

} // namespace

std::unique_ptr<Finder> make_cuda(Device &device, const Config &config) {
  return std::make_unique<CudaFinder>(device_cast<CudaDevice>(device), config);
}

} // namespace vigil::blobs
