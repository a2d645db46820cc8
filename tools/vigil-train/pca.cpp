// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pca.h"

#include "common/error.h"
#include "parallel.h"

#include <Eigen/Eigenvalues>
#include <cmath>

namespace vigil::train {

Pca fit_pca(std::span<const float> rows, std::size_t width, std::size_t kept) {
  const std::size_t count = rows.size() / width;
  if (count <= kept)
    fail(Error::Kind::bad_data, "only ", count, " descriptors were found; more than ", kept, " are needed");
  const auto add = [](auto &a, const auto &b) { a += b; };
  const auto at = [&](std::size_t i) {
    return Eigen::Map<const Eigen::VectorXf>(rows.data() + i * width, static_cast<Eigen::Index>(width));
  };
  const auto w = static_cast<Eigen::Index>(width);
  Eigen::VectorXd mean = sum_parts(
      count, Eigen::VectorXd::Zero(w).eval(),
      [&](Eigen::VectorXd &sum, std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; i++) sum += at(i).cast<double>();
      },
      add);
  mean /= static_cast<double>(count);
  Eigen::MatrixXd covariance = sum_parts(
      count, Eigen::MatrixXd::Zero(w, w).eval(),
      [&](Eigen::MatrixXd &sum, std::size_t first, std::size_t last) {
        constexpr std::size_t block = 256;
        for (std::size_t i = first; i < last; i += block) {
          const auto n = static_cast<Eigen::Index>(std::min(block, last - i));
          Eigen::MatrixXd x = Eigen::Map<const Eigen::MatrixXf>(rows.data() + i * width, w, n).cast<double>();
          x.colwise() -= mean;
          sum.selfadjointView<Eigen::Lower>().rankUpdate(x);
        }
      },
      add);
  covariance /= static_cast<double>(count);
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(covariance); // reads the lower half
  Pca out;
  out.mean.assign(mean.data(), mean.data() + width);
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
