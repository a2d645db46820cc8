// SPDX-License-Identifier: LGPL-2.1-or-later
// The numbers of the stage tonemap, as filter.h defines them.
#include "kernels/filter/definitions.h"

#include <algorithm>
#include <cmath>

namespace vigil::filter {
namespace {

std::int32_t rounded(double v) {
  return static_cast<std::int32_t>(std::floor(v + 0.5));
}
std::int32_t level_of(double part) {
  return rounded(1024 * std::log2(1 + 255 * part));
}

} // namespace

Tone tone_of(const Stage &s, int full) {
  Tone t{.size = int(s["sigma"]),
         .compression = rounded(256 * s["compression"]),
         .detail = rounded(256 * (s["detail"] - 1)),
         .anchor = level_of(s["anchor"])};
  for (int y = 0; y <= full; y++) t.level.push_back(level_of(double(y) / full));
  const auto falls = [&](double d) { return std::exp(-d * d / (2. * t.size * t.size)); };
  const double end = falls((tone_reach + 0.5) * t.size);
  for (int d = 0; d <= (2 * tone_reach + 1) * t.size; d++)
    t.spatial.push_back(rounded(4096 * std::max(0., (falls(d / 2.) - end) / (1 - end))));
  const double range = 1024 * s["range"];
  for (int d = 0; d <= tone_levels; d++)
    t.range.push_back(rounded(4096 * std::exp(-double(d) * d / (2 * range * range))));
  for (int e = -tone_limit; e <= tone_limit; e++) t.gain.push_back(rounded(65536 * std::exp2(e / 1024.)));
  return t;
}

} // namespace vigil::filter
