// SPDX-License-Identifier: LGPL-2.1-or-later
// What a codebook's mixture sees of a descriptor: its projection, and its position.
#pragma once

#include "matrix.h"

#include <span>

namespace vigil::train {

// y = (x - mean) projection^T of `count` rows. mean: width; projection: kept x width. `scratch` and `y` keep
// their memory between calls.
void project(const float *x, std::size_t count, std::span<const float> mean,
             std::span<const float> projection, Matrix &scratch, Matrix &y);

} // namespace vigil::train
