// SPDX-License-Identifier: LGPL-2.1-or-later
// Tracks that are alike in shape, motion and looks, found without names, so that a person can name a group of
// them by one answer.
//
//   distance  The root of the mean square difference of standardised features that both have; the shape's
//             count more than the motion's. Looks, where both have them, count as some features more. Fewer
//             than `least_common` common features: infinite.
//   groups    The track with the most neighbours within `radius` makes a group with the nearest of them, up
//             to `most`; then the same among those that are left. A track without a neighbour is in no group.
// Source: this project.
#pragma once

#include "kernels/label/classifier.h"

#include <cstddef>
#include <span>
#include <vector>

namespace vigil::label {

inline constexpr std::size_t least_common = 4;
inline constexpr double radius = 0.75;

double distance(const Subject &, const Subject &);

// Their numbers among the subjects, of each group the one in its middle first, then the others from near to
// far. The time grows with the square of their number.
std::vector<std::vector<std::size_t>> groups_alike(std::span<const Subject>, std::size_t most);

} // namespace vigil::label
