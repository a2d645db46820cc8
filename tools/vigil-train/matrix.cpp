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

} // namespace vigil::train
