// SPDX-License-Identifier: LGPL-2.1-or-later
// Person, vehicle or other, by shape and motion alone, without any teaching: a multinomial logistic model of
// a few features, so that the scores are probabilities as far as the video that it was fitted on is like the
// camera's (docs/measurements/log/2026-11/labels.md has the data and how often it is right).
#pragma once

#include "kernels/label/features.h"

#include <array>
#include <cstddef>

namespace vigil::label {

enum class Shape { person, vehicle, other };
inline constexpr std::size_t shape_count = 3;
const char *name_of(Shape); // as operators see it

using ShapeScores = std::array<double, shape_count>; // their sum is 1
ShapeScores shape_scores(const Features &);
Shape likeliest(const ShapeScores &);

// A feature as classifiers take it: about 0 in the mean and 1 in its deviation over the tracks of many
// cameras, at most 3 either way, and 0 where it is not known.
float standardised(const Features &, Feature);

} // namespace vigil::label
