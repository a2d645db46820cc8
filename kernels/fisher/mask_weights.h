// SPDX-License-Identifier: LGPL-2.1-or-later
// Weights of a picture's descriptors by a mask of what it shows: descriptors of the background count less.
//
//   a_i = b + (1 - b) m_i / 255
//
// b is the background's weight, and m_i the mean of the mask, 0..255, over the square that descriptor i looks
// at: 4 bins wide around its centre. That is brought to the mask's size, made larger to whole pixels, and cut
// at its border.
// Source: this project.
#pragma once

#include "kernels/fisher/fisher.h"

#include <span>

namespace vigil::fisher {

// `mask`: in host memory, of the extractor's size; `weights`: one for each descriptor of the layout.
void mask_weights(const Layout &, const SiftParams &, Plane<const std::uint8_t> mask, float background,
                  std::span<float> weights);

} // namespace vigil::fisher
