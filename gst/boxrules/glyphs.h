// SPDX-License-Identifier: LGPL-2.1-or-later
// Letters of 3 x 5 dots, enough for names, numbers and totals; small letters look like capitals, what is
// unknown is a box.
#pragma once

#include <cstdint>

namespace vigil::gst::boxrules {

inline constexpr int glyph_width = 3, glyph_height = 5;
// Whether a letter has a dot there: 0 <= x < 3, 0 <= y < 5.
bool lit(char, int x, int y);

} // namespace vigil::gst::boxrules
