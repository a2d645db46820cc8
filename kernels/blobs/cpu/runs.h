// SPDX-License-Identifier: LGPL-2.1-or-later
// The runs of a mask's row: its stretches of foreground.
#pragma once

#include <cstdint>

namespace vigil::blobs {

inline constexpr std::uint32_t no_label = ~0u;
struct Run {
  std::uint16_t first, end; // columns first .. end-1
  std::uint32_t label;      // the caller's
};
constexpr int most_runs(int width) {
  return (width + 1) / 2;
}
// Writes the runs of a row from left to right, with no label, and returns the end of what was written. Adds
// the pixels that are neither 0 nor 255 to `between`.
Run *find_runs(const std::uint8_t *row, int width, Run *out, std::uint64_t &between);

} // namespace vigil::blobs
