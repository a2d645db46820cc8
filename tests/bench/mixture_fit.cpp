// SPDX-License-Identifier: LGPL-2.1-or-later
// bench-mixture-fit ROWS ITERATIONS GPUS...: expectation maximisation as vigil-train codebook does it after
// k-means, on rows drawn from a mixture of 256 components in 82 dimensions, once for each number of GPUs.
// Prints the time of the copy to the GPUs and of all iterations by the clock, the log-likelihood before the
// first and the last iteration, and the first one on 20,000 of the rows compared with the reference in double
// precision. The exit status is 1 unless all numbers of GPUs give the same bits, and 1e-6 is kept.
#include "common/error.h"
#include "tools/vigil-train/gpu_rows.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <oneapi/tbb/parallel_for.h>

namespace {

using namespace vigil;
using train::Data, train::Mixture, train::Statistics;
constexpr std::size_t components = 256, dimension = 82;

struct Random { // SplitMix64 (Steele et al. 2014)
  std::uint64_t state;
  std::uint64_t next() {
    std::uint64_t z = state += 0x9E3779B97F4A7C15U;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9U;
    z = (z ^ z >> 27) * 0x94D049BB133111EBU;
    return z ^ z >> 31;
  }
  // Nearly normal, from the sum of four uniform numbers of 16 bits; standard deviation 1.
  double normal() {
    const std::uint64_t z = next();
    double sum = 0;
    for (int i = 0; i < 64; i += 16) sum += static_cast<double>(z >> i & 0xffff);
    return (sum / 65536 - 2) * std::sqrt(3.);
  }
};

// Standard deviations fall from the first dimension to the last, as after a projection to the principal
// components.
Mixture drawn_mixture(std::uint64_t seed) {
  Mixture m{components, dimension, std::vector<double>(components, 1. / components),
            std::vector<double>(components * dimension), std::vector<double>(components * dimension)};
  Random random{seed};
  for (std::size_t j = 0; j < components; j++)
    for (std::size_t k = 0; k < dimension; k++) {
      const double sigma = 0.1 / (1 + 0.1 * static_cast<double>(k));
      m.means[j * dimension + k] = sigma * random.normal();
      m.variances[j * dimension + k] = sigma * sigma * std::exp(0.3 * random.normal());
    }
  return m;
}

std::vector<float> drawn_rows(const Mixture &m, std::size_t count) {
  std::vector<float> rows(count * dimension);
  oneapi::tbb::parallel_for(std::size_t{0}, count, [&](std::size_t i) {
    Random random{i * 1000003};
    const std::size_t j = random.next() % components * dimension;
    for (std::size_t k = 0; k < dimension; k++)
      rows[i * dimension + k] =
          static_cast<float>(m.means[j + k] + std::sqrt(m.variances[j + k]) * random.normal());
  });
  return rows;
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double reference_likelihood(const Data &d, const Mixture &m) {
  const auto device = open_cpu(1);
  const auto queue = device->make_queue();
  constexpr std::size_t stride = fisher::row_stride(dimension), part = 500;
  std::vector<double> sums((d.rows + part - 1) / part);
  oneapi::tbb::parallel_for(std::size_t{0}, sums.size(), [&](std::size_t p) {
    const std::size_t first = p * part, count = std::min(part, d.rows - first);
    std::vector<float> rows(count * stride);
    for (std::size_t i = 0; i < count; i++)
      std::copy_n(d.values.data() + (first + i) * dimension, dimension, rows.data() + i * stride);
    const auto reference = fisher::make_expectation_reference(components, dimension);
    reference->start(m, *queue);
    reference->add(rows.data(), static_cast<int>(count), *queue);
    sums[p] = reference->finish(*queue).likelihood.values()[0];
  });
  double all = 0;
  for (const double v : sums) all += v;
  return all / static_cast<double>(d.rows);
}

int run(int argc, char **argv) {
  if (argc < 4) fail(Error::Kind::bad_setting, "bench-mixture-fit ROWS ITERATIONS GPUS...");
  const auto rows_wanted = static_cast<std::size_t>(std::atoll(argv[1]));
  const int iterations = std::atoi(argv[2]);
  const std::vector<float> values = drawn_rows(drawn_mixture(1), rows_wanted);
  const Data data{values, rows_wanted, dimension};
  const Mixture start = drawn_mixture(2); // another one than the rows are of
  const std::vector<double> floor(dimension, 1e-6);
  bool good = true;
  std::vector<double> first;
  for (int i = 3; i < argc; i++) {
    std::vector<std::unique_ptr<Device>> gpus;
    for (int g = 0; g < std::atoi(argv[i]); g++) gpus.push_back(open_cuda(g));
    const auto begin = std::chrono::steady_clock::now();
    train::GpuRows rows(gpus, data, components);
    const double copy = seconds_since(begin);
    const auto fit = std::chrono::steady_clock::now();
    Mixture m = start;
    double before = 0, last = 0;
    for (int n = 0; n < iterations; n++) {
      const Statistics s = rows.expectation(m);
      last = s.likelihood / static_cast<double>(data.rows);
      if (n == 0) before = last;
      train::maximisation(s, static_cast<double>(data.rows), m, floor);
    }
    std::printf(
        "%zu rows, %zu x %s: copied in %.3f s, %d iterations in %.3f s, log-likelihood %.9f to %.9f\n",
        data.rows, gpus.size(), gpus.front()->name().c_str(), copy, iterations, seconds_since(fit), before,
        last);
    std::vector<double> all = m.priors;
    all.insert(all.end(), m.means.begin(), m.means.end());
    all.insert(all.end(), m.variances.begin(), m.variances.end());
    if (first.empty()) {
      first = all;
      const std::size_t some = std::min<std::size_t>(data.rows, 20000);
      const Data few{data.values.first(some * dimension), some, dimension};
      const double want = reference_likelihood(few, m),
                   got = train::GpuRows(gpus, few, components).expectation(m).likelihood /
                         static_cast<double>(some);
      std::printf("log-likelihood of %zu rows %.9f, reference %.9f: relative difference %.2g\n", some, got,
                  want, std::abs(got / want - 1));
      good &= std::abs(got / want - 1) <= 1e-6;
    } else if (all != first) {
      std::printf("other bits than with %s GPUs\n", argv[3]);
      good = false;
    }
    std::fflush(stdout);
  }
  return good ? 0 : 1;
}

} // namespace

int main(int argc, char **argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception &e) {
    std::fprintf(stderr, "bench-mixture-fit: %s\n", e.what());
    return 2;
  }
}
