// SPDX-License-Identifier: LGPL-2.1-or-later
// From statistics to the next mixture.
#include "mixture.h"

#include <algorithm>
#include <cmath>

namespace vigil::train {

void maximisation(const Statistics &s, double rows, Mixture &m, std::span<const double> floor) {
  const std::size_t width = m.dimension;
  const auto heavy =
      static_cast<std::size_t>(std::max_element(s.mass.begin(), s.mass.end()) - s.mass.begin());
  const auto set = [&](std::size_t j, std::size_t from, double mass, double shift) {
    m.priors[j] = mass / rows;
    const double all = s.mass[from], *sums = s.sums.data() + from * 2 * width;
    for (std::size_t k = 0; k < width; k++) {
      const double mean = sums[width + k] / all;
      const double variance = std::max(sums[k] / all - mean * mean, floor[k]);
      m.means[j * width + k] = mean + shift * std::sqrt(variance);
      m.variances[j * width + k] = variance;
    }
  };
  const auto lost = std::count_if(s.mass.begin(), s.mass.end(), [](double v) { return v < 1; });
  const double share = s.mass[heavy] / static_cast<double>(1 + lost);
  std::size_t nth = 0;
  for (std::size_t j = 0; j < m.components; j++) {
    if (s.mass[j] < 1)
      set(j, heavy, share, 0.1 * static_cast<double>(++nth));
    else
      set(j, j, j == heavy ? share : s.mass[j], 0);
  }
  double sum = 0;
  for (const double p : m.priors) sum += p;
  for (double &p : m.priors) p /= sum;
}

std::vector<double> variance_floor(const Statistics &s, double rows, std::size_t dimension, double fraction) {
  const std::size_t width = 2 * dimension;
  double most = 0;
  for (std::size_t k = 0; k < dimension; k++) {
    double squares = 0, values = 0;
    for (std::size_t j = 0; j < s.mass.size(); j++) {
      squares += s.sums[j * width + k];
      values += s.sums[j * width + dimension + k];
    }
    most = std::max(most, squares / rows - values / rows * (values / rows));
  }
  return std::vector<double>(dimension, std::max(fraction * most, 1e-9));
}

} // namespace vigil::train
