// SPDX-License-Identifier: LGPL-2.1-or-later
// A Fisher vector, which is thousands of numbers long, as the few that the classifier of names uses: sums
// with random but fixed signs (count sketch; Charikar et al. 2002), which keep inner products in the mean.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace vigil::label {

inline constexpr std::size_t appearance_length = 48;

// Of length 1; empty where the vector is empty, zero or not finite.
std::vector<float> appearance_of(std::span<const float> fisher_vector);

} // namespace vigil::label
