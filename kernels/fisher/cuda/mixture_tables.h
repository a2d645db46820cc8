// SPDX-License-Identifier: LGPL-2.1-or-later
// A mixture as the kernels take it (Mixture in encode.h), put together on the host.
#pragma once

#include <cstddef>
#include <vector>

namespace vigil::fisher::cuda {

struct MixtureTables {
  int dimension, components;
  int padded, row; // as in Mixture
  std::vector<float> lines, constant, means, inverse;

  // Components that put() does not set are left out.
  MixtureTables(int components, int dimension);
  // Component j, whose density is exp(log_weight - 1/2 sum ((x - mean) / sigma)^2): `dimension` means and
  // sigmas.
  void put(int j, double log_weight, const double *mean, const double *sigma);
};

} // namespace vigil::fisher::cuda
