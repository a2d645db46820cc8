// SPDX-License-Identifier: LGPL-2.1-or-later
// Which pixels blink: those whose label changes between foreground (255) and another one again and again, as
// leaves in wind make it. Where somebody stands the labels stay as they are. The same integers in every
// backend.
//
// A pixel has a level, 0 at first. Each frame whose label is foreground where the last one's was not, or the
// other way round, adds 1, up to `most`. In every `frames_a_step`-th frame of the model 1 is taken off first,
// if there is any. So it blinks, from the level `from` on, if the label has long changed more often than
// once in `frames_a_step` frames. The frames of a pixel outside of the frame do not count for it.
//
// The level lies in the byte that says how many components the pixel uses, and takes no memory: bits 0 to 2
// the number, bit 3 whether the last label was foreground, bits 4 to 7 the level. It is not saved.
// The values: docs/measurements/log/2026-11/foreground.md, "Feedback in each pixel".
#pragma once

#include "common/plane.h"

#include <cstdint>

namespace vigil::mog::blinking {

inline constexpr unsigned frames_a_step = 8, most = 15, from = 12;
inline constexpr double pace = 2; // of the usual learning rate
inline constexpr unsigned count_bits = 7, label_bit = 8, level_shift = 4;

// Of a pixel's byte: the number of components that it uses.
constexpr VIGIL_HOST_DEVICE unsigned components(unsigned byte) {
  return byte & count_bits;
}
constexpr VIGIL_HOST_DEVICE bool blinks(unsigned byte) {
  return byte >> level_shift >= from;
}
// Of a byte: what is not the number, after a frame. `frame`: how many the model learnt before.
constexpr VIGIL_HOST_DEVICE unsigned next(unsigned byte, bool foreground, std::uint32_t frame) {
  unsigned level = byte >> level_shift;
  if (frame % frames_a_step == 0 && level > 0) level--;
  if (foreground != ((byte & label_bit) != 0) && level < most) level++;
  return level << level_shift | (foreground ? label_bit : 0u);
}

} // namespace vigil::mog::blinking
