// SPDX-License-Identifier: LGPL-2.1-or-later
// Matrices of floats, row by row, and their products by a BLAS, which takes the processor's best instructions
// when it runs.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace vigil::train {

struct Matrix {
  std::vector<float> values;
  std::size_t rows = 0, columns = 0;
  void resize(std::size_t r, std::size_t c) {
    rows = r;
    columns = c;
    values.resize(r * c);
  }
  float *row(std::size_t i) { return values.data() + i * columns; }
  const float *row(std::size_t i) const { return values.data() + i * columns; }
};

struct MatrixView {
  const float *values;
  std::size_t rows, columns;
  MatrixView(const Matrix &m) : values(m.values.data()), rows(m.rows), columns(m.columns) {}
  MatrixView(const float *v, std::size_t r, std::size_t c) : values(v), rows(r), columns(c) {}
};

// From now on the BLAS works in the calling thread alone: sums must not depend on the number of threads, and
// callers have a part of the work for each thread anyway.
void use_one_blas_thread();
// c = a b, a^T b or a b^T, in the calling thread alone.
enum class Transpose { none, a, b };
void multiply(MatrixView a, MatrixView b, Transpose, Matrix &c);

// What a codebook's mixture sees of a descriptor:
// y = (x - mean) projection^T of `count` rows. mean: width; projection: kept x width. `scratch` and `y` keep
// their memory between calls.
void project(const float *x, std::size_t count, std::span<const float> mean,
             std::span<const float> projection, Matrix &scratch, Matrix &y);

} // namespace vigil::train
