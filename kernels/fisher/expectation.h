// SPDX-License-Identifier: LGPL-2.1-or-later
// The expectation step of expectation maximisation (Dempster et al. 1977; the formulas as in Bishop, Pattern
// Recognition and Machine Learning, section 9.2) for a mixture of N Gaussians with diagonal covariances: the
// sums over rows from which the next mixture is computed.
//
//   p_ij = w_j prod_k N(x_ik; mu_jk, sigma_jk^2)      of row x_i, of D numbers, and component j
//   l_i  = log sum_j p_ij                             the row's log-likelihood
//   q_ij = p_ij / exp(l_i), by log-sum-exp            the posterior; below least_posterior it counts as 0
//   squares_jk = sum_i q_ij x_ik^2,   values_jk = sum_i q_ij x_ik,   mass_j = sum_i q_ij
//
// Rows come in blocks. The sums of a block are rounded to multiples of 2^-40 and added to those of the other
// blocks as integers. So the result depends neither on the order of the blocks nor on how they are divided
// among devices, processes and machines (of one kind: another kind of GPU may round otherwise).
//
// Against the reference: mass, values and squares within 1e-4 (relative L2), the likelihood within 1e-6.
#pragma once

#include "common/device.h"
#include "common/exact_sum.h"

#include <memory>
#include <vector>

namespace vigil::fisher {

struct GaussianMixture {
  std::size_t components = 0, dimension = 0;    // N, D
  std::vector<double> priors, means, variances; // N; N x D, twice
};

struct ExactStatistics {
  ExactSums sums;       // N x 2 D: squares, values
  ExactSums mass;       // N
  ExactSums likelihood; // 1: the sum of all l_i
};

inline constexpr double least_posterior = 1e-8;
inline constexpr int block_rows = 32768;
// Floats from one row to the next: D, to a multiple of 4.
constexpr int row_stride(int dimension) {
  return (dimension + 3) / 4 * 4;
}
// Memory must hold so many rows where there are `count`: whole tiles are read.
constexpr std::size_t padded_rows(std::size_t count) {
  return (count + 63) / 64 * 64;
}

// All memory of the device is taken at construction.
class Expectation {
 public:
  virtual ~Expectation() = default;
  int components() const { return components_; }
  int dimension() const { return dimension_; }
  // Empties the sums. Throws Error::bad_setting for a mixture of other sizes, Error::bad_data for one with a
  // variance that is not above 0 or a value that is not finite.
  virtual void start(const GaussianMixture &, Queue &) = 0;
  // Adds one block: 1 to block_rows rows of finite numbers up to 4096 in magnitude, in the device's memory,
  // aligned to 16 bytes. Throws Error::bad_setting for another count.
  virtual void add(const float *rows, int count, Queue &) = 0;
  // Waits for all blocks since start() and returns their sums.
  virtual ExactStatistics finish(Queue &) = 0;

 protected:
  Expectation(int components, int dimension); // throws Error::bad_setting for sizes out of range
  void check(const GaussianMixture &) const;
  static void check_count(int count);

 private:
  int components_, dimension_;
};

// By naive loops in double precision, on host memory.
std::unique_ptr<Expectation> make_expectation_reference(int components, int dimension);
// The device must outlive it. Throws Error::no_device in builds without CUDA.
std::unique_ptr<Expectation> make_expectation_cuda(Device &, int components, int dimension);

} // namespace vigil::fisher
