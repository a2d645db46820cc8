// SPDX-License-Identifier: LGPL-2.1-or-later
// A picture as a frame shows it that is turned against it, pixel by pixel (common/turned.h); beyond its edges
// is what is at them. On the CPU, which alone finds turns.
#pragma once

#include "common/device.h"
#include "common/turned.h"

namespace vigil::registration {

// Where `by` is turned, writes `out`, which is of the picture's size and format; else it does nothing. 8 bits
// a sample.
void draw_turned(const ConstImage &picture, Shift by, const Image &out);

} // namespace vigil::registration
