// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pca.h"

#include "common/error.h"
#include "matrix.h"
#include "parallel.h"

#include <Eigen/Eigenvalues>
#include <cblas.h>
#include <cmath>

namespace vigil::train {

Pca fit_pca(std::span<const float> rows, std::size_t width, std::size_t kept) {
  const std::size_t count = rows.size() / width;
  if (count <= kept)
    fail(Error::Kind::bad_data, "only ", count, " descriptors were found; more than ", kept, " are needed");
  use_one_blas_thread();
  using Values = std::vector<double>;
  const auto add = [](Values &a, const Values &b) {
    for (std::size_t i = 0; i < a.size(); i++) a[i] += b[i];
  };
  Values mean = sum_parts(
      count, Values(width),
      [&](Values &sum, std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; i++)
          for (std::size_t k = 0; k < width; k++) sum[k] += double{rows[i * width + k]};
      },
      add);
  for (double &v : mean) v /= static_cast<double>(count);
  const Values sums = sum_parts( // of (x - mean) (x - mean)^T, the lower half
      count, Values(width * width),
      [&](Values &sum, std::size_t first, std::size_t last) {
        constexpr std::size_t block = 256;
        const int w = static_cast<int>(width);
        Values x(block * width);
        for (std::size_t i = first; i < last; i += block) {
          const std::size_t n = std::min(block, last - i);
          for (std::size_t e = 0; e < n * width; e++) x[e] = double{rows[i * width + e]} - mean[e % width];
          cblas_dsyrk(CblasRowMajor, CblasLower, CblasTrans, w, static_cast<int>(n), 1, x.data(), w, 1,
                      sum.data(), w);
        }
      },
      add);
  const auto w = static_cast<Eigen::Index>(width);
  Eigen::MatrixXd covariance(w, w); // of which the solver reads the lower half
  for (Eigen::Index i = 0; i < w; i++)
    for (Eigen::Index k = 0; k < w; k++)
      covariance(i, k) = sums[static_cast<std::size_t>(i * w + k)] / static_cast<double>(count);
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(covariance);
  Pca out;
  out.mean.assign(mean.begin(), mean.end());
  double all = 0, used = 0;
  for (std::size_t i = 0; i < width; i++) {
    const Eigen::Index column = w - 1 - static_cast<Eigen::Index>(i); // values rise
    const double variance = std::max(0., eigen.eigenvalues()[column]);
    all += variance;
    if (i >= kept) continue;
    used += variance;
    Eigen::VectorXd direction = eigen.eigenvectors().col(column);
    Eigen::Index largest = 0;
    direction.cwiseAbs().maxCoeff(&largest);
    if (direction[largest] < 0) direction = -direction;
    for (Eigen::Index k = 0; k < w; k++) out.projection.push_back(static_cast<float>(direction[k]));
  }
  out.explained = all > 0 ? used / all : 0;
  return out;
}

} // namespace vigil::train
