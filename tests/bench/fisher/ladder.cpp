// SPDX-License-Identifier: LGPL-2.1-or-later
#include "tests/bench/fisher/ladder.h"

#include "common/cuda/device.h"
#include "common/device_cast.h"
#include "common/error.h"
#include "kernels/fisher/cuda/encode.h"
#include "tests/bench/fisher/ladder_steps.h"

#include <cmath>

namespace vigil::fisher {
namespace {

class CudaLadder final : public Ladder {
 public:
  CudaLadder(CudaDevice &device, const Codebook &c, Rung rung, int capacity) : device_(device), rung_(rung) {
    const int n = c.components, d = c.dimension(), row = (d + 31) / 32 * 32;
    std::vector<float> table = c.means;
    for (const float v : c.variances) table.push_back(1 / std::sqrt(v));
    for (int j = 0; j < n; j++) {
      double constant = std::log(c.priors[j]);
      for (int k = 0; k < d; k++)
        constant -= 0.5 * std::log(c.variances[static_cast<std::size_t>(j) * d + k]);
      table.push_back(static_cast<float>(constant));
    }
    for (const double two : {1., 2.})
      for (const float w : c.priors) table.push_back(static_cast<float>(1 / std::sqrt(two * w)));
    table_ = DeviceBuffer(device, table.size() * sizeof(float));
    posteriors_ = DeviceBuffer(device, sizeof(float) * n * capacity);
    copies_ = DeviceBuffer(device, sizeof(float) * blocks(capacity) * n * 2 * row);
    norms_ = DeviceBuffer(device, sizeof(float) * n);
    const std::size_t values = static_cast<std::size_t>(n) * d;
    const auto *base = table_.as<const float>();
    work_ = {d, n, row, base, base + values, base + 2 * values, posteriors_.as<float>(), copies_.as<float>()};
    mixture_.dimension = d;
    mixture_.components = n;
    mixture_.row = row;
    mixture_.root = base + 2 * values + n;
    const auto queue = device.make_queue();
    device.upload(table_.as(), table.data(), table_.bytes(), *queue);
    queue->wait();
  }
  void posteriors(const float *x, int count, Queue &queue) override {
    const CudaScope scope = device_.enter();
    ladder::launch_posteriors(rung_, work_, x, count, stream_of(queue));
  }
  void sums(const float *x, int count, Queue &queue) override {
    const CudaScope scope = device_.enter();
    ladder::launch_sums(rung_, work_, x, count, stream_of(queue));
  }
  void vector(int count, float *vector, Queue &queue) override {
    const CudaScope scope = device_.enter();
    cuda::launch_vector(mixture_, {work_.copies, blocks(count)}, count, norms_.as<float>(), vector, {},
                        stream_of(queue));
  }

 private:
  static int blocks(int count) { return (count + ladder::second_chunk - 1) / ladder::second_chunk; }

  CudaDevice &device_;
  Rung rung_;
  ladder::FrameProcessor work_;
  cuda::Mixture mixture_{};
  DeviceBuffer table_, posteriors_, copies_, norms_;
};

} // namespace

std::unique_ptr<Ladder> make_ladder(Device &device, const Codebook &c, Rung rung, int capacity) {
  validate(c);
  if (c.dimension() > ladder::threads || c.components > ladder::most_components || capacity < 1)
    fail(Error::Kind::bad_setting, "the paper's steps take up to ", ladder::threads, " dimensions and ",
         ladder::most_components, " components, not ", c.dimension(), " and ", c.components);
  return std::make_unique<CudaLadder>(device_cast<CudaDevice>(device), c, rung, capacity);
}

} // namespace vigil::fisher
