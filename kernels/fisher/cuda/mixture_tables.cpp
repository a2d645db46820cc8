// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/fisher/cuda/mixture_tables.h"

#include "kernels/fisher/cuda/encode.h"

namespace vigil::fisher::cuda {

namespace {

int to_multiple(int n, int of) {
  return (n + of - 1) / of * of;
}

} // namespace

MixtureTables::MixtureTables(int n, int d)
    : dimension(d), components(n), padded(to_multiple(n, wide)), row(to_multiple(d, 32)),
      lines(static_cast<std::size_t>(padded) * d * 2), constant(padded, -2e38f),
      means(static_cast<std::size_t>(n) * row), inverse(means.size()) {}

void MixtureTables::put(int j, double log_weight, const double *mean, const double *sigma) {
  for (int k = 0; k < dimension; k++) {
    const double scale = binary / sigma[k];
    const std::size_t line = (static_cast<std::size_t>(j / wide) * dimension + k) * 2 * wide + j % wide;
    lines[line] = static_cast<float>(scale);
    lines[line + wide] = static_cast<float>(-mean[k] * scale);
    means[static_cast<std::size_t>(j) * row + k] = static_cast<float>(mean[k]);
    inverse[static_cast<std::size_t>(j) * row + k] = static_cast<float>(1 / sigma[k]);
  }
  constant[j] = static_cast<float>(log_weight / std::numbers::ln2);
}

} // namespace vigil::fisher::cuda
