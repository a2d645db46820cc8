// SPDX-License-Identifier: LGPL-2.1-or-later
// The expectation step against its reference: sizes at the borders of tiles, blocks and groups of components,
// components that lost their rows, a component on rows that are all zero; the same bits however blocks are
// divided; what is refused; times.
#include "kernels/fisher/expectation.h"

#include "common/error.h"
#include "tests/check/checker.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace vigil::fisher {
namespace {

using check::Checker;
using Floats = std::vector<float>;

double normal(Checker &c) {
  return std::normal_distribution<double>()(c.rng);
}

// Priors that differ by some hundred times, the last one 0 when there are more than two.
GaussianMixture draw_mixture(Checker &c, std::size_t n, std::size_t d) {
  GaussianMixture m{n, d, std::vector<double>(n), std::vector<double>(n * d), std::vector<double>(n * d)};
  double all = 0;
  for (std::size_t j = 0; j < n; j++) {
    m.priors[j] = n > 2 && j == n - 1 ? 0 : std::exp(1.5 * normal(c));
    all += m.priors[j];
    for (std::size_t k = 0; k < d; k++) {
      m.means[j * d + k] = j == 0 ? 0 : 0.5 * normal(c);
      const double sigma = j == 0 ? 1e-2 : 0.1 * std::exp(0.5 * normal(c));
      m.variances[j * d + k] = sigma * sigma;
    }
  }
  for (double &p : m.priors) p /= all;
  return m;
}

// Rows of the mixture's components, a fifth of them zero; what is between and behind rows is NaN.
Floats draw_rows(Checker &c, const GaussianMixture &m, int count) {
  const int d = static_cast<int>(m.dimension), stride = row_stride(d);
  Floats rows(padded_rows(static_cast<std::size_t>(count)) * static_cast<std::size_t>(stride), NAN);
  for (int i = 0; i < count; i++) {
    const std::size_t j = c.rng() % m.components * m.dimension;
    const bool flat = c.rng() % 5 == 0;
    for (int k = 0; k < d; k++)
      rows[std::size_t(i) * stride + k] =
          flat ? 0 : static_cast<float>(m.means[j + k] + std::sqrt(m.variances[j + k]) * normal(c));
  }
  return rows;
}

struct Rows {
  Rows(Checker &c, const Floats &values) : memory(c.device, values.size() * sizeof(float)) {
    c.device.upload(memory.as(), values.data(), memory.bytes(), c.queue());
    c.queue().wait();
  }
  DeviceBuffer memory;
};

bool same(const ExactStatistics &a, const ExactStatistics &b) {
  return a.sums.words() == b.sums.words() && a.mass.words() == b.mass.words() &&
         a.likelihood.words() == b.likelihood.words();
}

Floats floats(const ExactSums &s) {
  const auto v = s.values();
  return {v.begin(), v.end()};
}

void run_reference(Checker &c) {
  constexpr struct {
    int components, dimension, count;
  } cases[] = {{1, 1, 1},    {2, 3, 63},    {3, 82, 65},   {256, 82, 700}, {255, 80, 129},
               {257, 33, 1}, {600, 17, 90}, {7, 130, 257}, {40, 96, 5000}, {256, 82, 3000}};
  const auto host = open_cpu(1);
  const auto queue = host->make_queue();
  for (const auto &k : cases) {
    const GaussianMixture m = draw_mixture(c, std::size_t(k.components), std::size_t(k.dimension));
    const Floats rows = draw_rows(c, m, k.count);
    const auto reference = make_expectation_reference(k.components, k.dimension);
    reference->start(m, *queue);
    reference->add(rows.data(), k.count, *queue);
    const ExactStatistics want = reference->finish(*queue);
    const Rows there(c, rows);
    const auto expectation = make_expectation_cuda(c.device, k.components, k.dimension);
    const auto once = [&] {
      expectation->start(m, c.queue());
      expectation->add(there.memory.as<float>(), k.count, c.queue());
      return expectation->finish(c.queue());
    };
    const ExactStatistics got = once();
    const std::string what = text(k.count, " rows of ", k.dimension, ", ", k.components, " components");
    c.near_vectors(what + ", sums", floats(want.sums), floats(got.sums), 1e-4);
    c.near_vectors(what + ", mass", floats(want.mass), floats(got.mass), 1e-4);
    const double l = want.likelihood.values()[0], off = got.likelihood.values()[0] - l;
    c.expect(std::abs(off) <= 1e-6 * std::max(std::abs(l), 100. * k.count),
             text(what, ": likelihood ", got.likelihood.values()[0], ", not ", l));
    c.expect(same(got, once()), what + ": other bits the second time");
  }
}

// A block's statistics may be added in any order, and anywhere.
void run_shards(Checker &c) {
  constexpr int components = 64, dimension = 82, blocks = 11;
  const GaussianMixture m = draw_mixture(c, components, dimension);
  std::vector<Rows> rows;
  std::vector<int> counts;
  for (int b = 0; b < blocks; b++) {
    counts.push_back(b == 4 ? 1 : 64 + static_cast<int>(c.rng() % 2000));
    rows.emplace_back(c, draw_rows(c, m, counts.back()));
  }
  const auto sum = [&](int shards) {
    ExactStatistics all;
    for (int s = shards - 1; s >= 0; s--) {
      const auto e = make_expectation_cuda(c.device, components, dimension);
      e->start(m, c.queue());
      for (int b = s; b < blocks; b += shards)
        e->add(rows[std::size_t(b)].memory.as<float>(), counts[std::size_t(b)], c.queue());
      const ExactStatistics one = e->finish(c.queue());
      if (s == shards - 1) {
        all = one;
        continue;
      }
      all.sums.add(one.sums);
      all.mass.add(one.mass);
      all.likelihood.add(one.likelihood);
    }
    return all;
  };
  const ExactStatistics whole = sum(1);
  for (const int shards : {2, 3, 7, 11})
    c.expect(same(whole, sum(shards)), text(shards, " shards give other bits than one"));
}

void run_refused(Checker &c) {
  const auto refused = [&](const char *what, Error::Kind kind, auto call) {
    try {
      call();
      c.fail(text(what, " was not refused"));
    } catch (const Error &e) {
      c.expect(e.kind() == kind, text(what, ": ", e.what()));
    }
  };
  using enum Error::Kind;
  const GaussianMixture m = draw_mixture(c, 5, 10);
  const auto e = make_expectation_cuda(c.device, 5, 10);
  refused("no component", bad_setting, [&] { make_expectation_cuda(c.device, 0, 10); });
  refused("131 dimensions", bad_setting, [&] { make_expectation_cuda(c.device, 5, 131); });
  refused("another mixture's size", bad_setting, [&] { e->start(draw_mixture(c, 6, 10), c.queue()); });
  GaussianMixture bad = m;
  bad.variances[3] = 0;
  refused("a variance of 0", bad_data, [&] { e->start(bad, c.queue()); });
  bad = m;
  bad.means[7] = NAN;
  refused("a mean that is NaN", bad_data, [&] { e->start(bad, c.queue()); });
  e->start(m, c.queue());
  refused("an empty block", bad_setting, [&] { e->add(nullptr, 0, c.queue()); });
  refused("a block that is too large", bad_setting, [&] { e->add(nullptr, block_rows + 1, c.queue()); });
}

void time_block(Checker &c) {
  const GaussianMixture m = draw_mixture(c, 256, 82);
  const Rows rows(c, draw_rows(c, m, block_rows));
  const auto e = make_expectation_cuda(c.device, 256, 82);
  e->start(m, c.queue());
  c.time(text("expectation of ", block_rows, " rows"), block_rows,
         [&] { e->add(rows.memory.as<float>(), block_rows, c.queue()); });
}

void run(Checker &c) {
  run_reference(c);
  run_shards(c);
  run_refused(c);
  if (c.benching()) time_block(c);
}

// One component: every posterior is 1.
void run_by_hand(Checker &c) {
  const auto reference = make_expectation_reference(1, 2);
  reference->start({1, 2, {1}, {1, -2}, {4, 0.25}}, c.queue());
  const Floats rows{3, -2, NAN, NAN, 1, -1, NAN, NAN};
  reference->add(rows.data(), 2, c.queue());
  const ExactStatistics s = reference->finish(c.queue());
  c.expect(s.mass.values() == std::vector<double>{2}, "mass");
  c.expect(s.sums.values() == std::vector<double>{10, 5, 4, -3}, "sums of squares and values");
  // Of both rows: -log(2 pi sigma_1 sigma_2), sigma_1 sigma_2 = 1; and the exponents -1/2 and -2.
  const double want = -2 * std::log(2 * std::numbers::pi) - 2.5, got = s.likelihood.values()[0];
  c.expect(std::abs(got - want) < 1e-11, text("likelihood ", got, ", not ", want));
}

check::Register expectation_case{{"fisher/expectation", run, {Backend::cuda}}};
check::Register by_hand_case{{"fisher/expectation-by-hand", run_by_hand, {Backend::cpu}}};

} // namespace
} // namespace vigil::fisher
