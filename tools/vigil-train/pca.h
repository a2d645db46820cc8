// SPDX-License-Identifier: LGPL-2.1-or-later
// Principal components (Pearson 1901): mean and the directions of largest variance.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace vigil::train {

struct Pca {
  std::vector<float> mean; // width
  std::vector<float>
      projection;       // kept x width, rows of unit length, by falling variance; the largest element of
                        // each is positive, so that the signs are no accident
  double explained = 0; // part of the variance that is kept, 0..1
};
// `rows` is count x width. Throws Error::bad_data when there are no more rows than dimensions to keep.
Pca fit_pca(std::span<const float> rows, std::size_t width, std::size_t kept);

} // namespace vigil::train
