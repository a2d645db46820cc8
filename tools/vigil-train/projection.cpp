// SPDX-License-Identifier: LGPL-2.1-or-later
#include "projection.h"

namespace vigil::train {

void project(const float *x, std::size_t count, std::span<const float> mean,
             std::span<const float> projection, Matrix &scratch, Matrix &y) {
  const std::size_t width = mean.size();
  scratch.resize(count, width);
  for (std::size_t i = 0; i < count * width; i++) scratch.values[i] = x[i] - mean[i % width];
  multiply(scratch, {projection.data(), projection.size() / width, width}, Transpose::b, y);
}

} // namespace vigil::train
