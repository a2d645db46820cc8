// SPDX-License-Identifier: LGPL-2.1-or-later
// Random input for fisher's cases: pictures, parameters, descriptors, codebooks.
#pragma once

#include "kernels/fisher/fisher.h"
#include "tests/check/checker.h"

namespace vigil::fisher {

using Floats = std::vector<float>;

// Runs of noise; waves, edges and noise, as photographs have them; a few objects on flat ground.
enum class Content { noise, texture, flat };
inline constexpr Content contents[] = {Content::noise, Content::texture, Content::flat};
const char *name_of(Content);
void paint(check::Checker &, Image, Content); // all planes; host memory

// Parameters that leave room for a descriptor in a frame of this size.
SiftParams draw(check::Checker &, int width, int height);

// Sparse ones of norm 1; the share `flat` of them is zero, in runs.
Floats draw_descriptors(check::Checker &, int count, float flat);
Floats draw_positions(check::Checker &, int count);

// A codebook such as training gives: components where descriptors are; the first one sits on the zero
// descriptor with variances at their floor, where naive products in single precision cancel. A last component
// of prior 0 when there are more than two.
struct DrawnModel {
  Codebook codebook;
  Classifier classifier;
};
DrawnModel draw_model(check::Checker &, int projected, int components, int classes);

} // namespace vigil::fisher
