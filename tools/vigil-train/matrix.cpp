// SPDX-License-Identifier: LGPL-2.1-or-later
#include "matrix.h"

#include <cblas.h>

namespace vigil::train {

void use_one_blas_thread() {
  static const bool single = (openblas_set_num_threads(1), true);
  (void)single;
}

void multiply(MatrixView a, MatrixView b, Transpose which, Matrix &c) {
  use_one_blas_thread();
  const bool ta = which == Transpose::a, tb = which == Transpose::b;
  c.resize(ta ? a.columns : a.rows, tb ? b.rows : b.columns);
  if (c.values.empty()) return;
  const auto n = [](std::size_t v) { return static_cast<int>(v); };
  cblas_sgemm(CblasRowMajor, ta ? CblasTrans : CblasNoTrans, tb ? CblasTrans : CblasNoTrans, n(c.rows),
              n(c.columns), n(ta ? a.rows : a.columns), 1, a.values, n(a.columns), b.values, n(b.columns), 0,
              c.values.data(), n(c.columns));
}

void project(const float *x, std::size_t count, std::span<const float> mean,
             std::span<const float> projection, Matrix &scratch, Matrix &y) {
  const std::size_t width = mean.size();
  scratch.resize(count, width);
  for (std::size_t i = 0; i < count * width; i++) scratch.values[i] = x[i] - mean[i % width];
  multiply(scratch, {projection.data(), projection.size() / width, width}, Transpose::b, y);
}

} // namespace vigil::train
