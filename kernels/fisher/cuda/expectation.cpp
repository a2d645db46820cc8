// SPDX-License-Identifier: LGPL-2.1-or-later
// The memory of the expectation step, and its order of launches.
#include "kernels/fisher/cuda/expectation.h"

#include "common/cuda/device.h"
#include "common/device_cast.h"
#include "kernels/fisher/cuda/mixture_tables.h"

#include <cmath>
#include <numbers>

namespace vigil::fisher {

namespace cuda {

static_assert(row_stride(1) == row_of_x(1) && row_stride(82) == row_of_x(82) && padded_rows(1) == tile);

class CudaExpectation final : public Expectation {
 public:
  CudaExpectation(CudaDevice &device, int components, int dimension);
  void start(const GaussianMixture &, Queue &) override;
  void add(const float *rows, int count, Queue &) override;
  ExactStatistics finish(Queue &) override;

 private:
  std::size_t sums() const { return std::size_t(2) * mixture_.components * mixture_.dimension; }
  CudaDevice &device_;
  MixtureTables tables_;
  Mixture mixture_{};
  Chunk chunk_{};
  DeviceBuffer lines_, constant_, means_, inverse_, posteriors_, masks_, likelihoods_, parts_, mass_, totals_;
};

CudaExpectation::CudaExpectation(CudaDevice &device, int n, int d)
    : Expectation(n, d), device_(device), tables_(n, d) {
  constexpr int tiles = block_rows / tile;
  const CudaScope scope = device.enter();
  const auto floats = [&](std::size_t count) { return DeviceBuffer(device, count * sizeof(float)); };
  lines_ = floats(tables_.lines.size());
  constant_ = floats(tables_.constant.size());
  means_ = floats(tables_.means.size());
  inverse_ = floats(tables_.inverse.size());
  mixture_.dimension = d;
  mixture_.components = n;
  mixture_.padded = tables_.padded;
  mixture_.row = tables_.row;
  mixture_.lines = lines_.as<float>();
  mixture_.constant = constant_.as<float>();
  mixture_.means = means_.as<float>();
  mixture_.inverse = inverse_.as<float>();
  mixture_.least = static_cast<float>(least_posterior);
  posteriors_ = floats(std::size_t(tiles) * mixture_.padded * tile);
  masks_ = DeviceBuffer(device, std::size_t(tiles) * mixture_.padded * sizeof(std::uint64_t));
  likelihoods_ = floats(block_rows);
  parts_ = floats(std::size_t(2) * mixture_.row * n * parts_for(tiles));
  mass_ = floats(std::size_t(n) * parts_for(tiles));
  totals_ = DeviceBuffer(device, (sums() + static_cast<std::size_t>(n) + 1) * sizeof(Fixed));
  chunk_.posteriors = posteriors_.as<float>();
  chunk_.masks = masks_.as<std::uint64_t>();
  chunk_.likelihoods = likelihoods_.as<float>();
  prepare_posteriors(mixture_);
}

void CudaExpectation::start(const GaussianMixture &m, Queue &queue) {
  check(m);
  queue.wait(); // the tables may still be on their way
  const std::size_t d = m.dimension;
  std::vector<double> sigma(d);
  for (std::size_t j = 0; j < m.components; j++) {
    double weight = std::log(std::max(m.priors[j], 1e-300));
    for (std::size_t k = 0; k < d; k++) {
      const double v = m.variances[j * d + k];
      sigma[k] = std::sqrt(v);
      weight -= 0.5 * std::log(2 * std::numbers::pi * v);
    }
    tables_.put(static_cast<int>(j), weight, m.means.data() + j * d, sigma.data());
  }
  const auto send = [&](const DeviceBuffer &to, const std::vector<float> &from) {
    device_.upload(to.as(), from.data(), to.bytes(), queue);
  };
  send(lines_, tables_.lines);
  send(constant_, tables_.constant);
  send(means_, tables_.means);
  send(inverse_, tables_.inverse);
  device_.fill(totals_.as(), 0, totals_.bytes(), queue);
}

void CudaExpectation::add(const float *rows, int count, Queue &queue) {
  check_count(count);
  const CudaScope scope = device_.enter();
  const cudaStream_t stream = stream_of(queue);
  Chunk chunk = chunk_;
  chunk.x = const_cast<float *>(rows); // which the kernels here only read
  chunk.count = count;
  const Parts parts{parts_.as<float>(), parts_for(chunk.tiles()), mass_.as<float>()};
  Fixed *totals = totals_.as<Fixed>();
  launch_posteriors(mixture_, chunk, stream);
  launch_sums(mixture_, chunk, parts, false, stream);
  launch_totals(mixture_, chunk, parts, {totals, totals + sums(), totals + sums() + mixture_.components},
                stream);
}

ExactStatistics CudaExpectation::finish(Queue &queue) {
  const auto n = static_cast<std::size_t>(mixture_.components);
  std::vector<Fixed> all(totals_.bytes() / sizeof(Fixed));
  device_.download(all.data(), totals_.as(), totals_.bytes(), queue);
  queue.wait();
  ExactStatistics s{ExactSums(sums()), ExactSums(n), ExactSums(1)};
  const Fixed *from = all.data();
  for (ExactSums *to : {&s.sums, &s.mass, &s.likelihood})
    for (std::size_t i = 0; i < to->size(); i++, from++) to->add(i, from->units, from->parts);
  return s;
}

} // namespace cuda

std::unique_ptr<Expectation> make_expectation_cuda(Device &device, int components, int dimension) {
  return std::make_unique<cuda::CudaExpectation>(device_cast<CudaDevice>(device), components, dimension);
}

} // namespace vigil::fisher
