// SPDX-License-Identifier: LGPL-2.1-or-later
// One spot, the same integers in every backend.
#pragma once

#include "kernels/ghost/luma.h"
#include "kernels/tamper/spots.h"

namespace vigil::tamper {

inline VIGIL_HOST_DEVICE Spot spot_at(const ConstImage &picture, const Layout &l, int cell) {
  const int left = cell % l.columns * l.cell, top = cell / l.columns * l.cell;
  const int step = l.step(), reach = l.cell < 12 ? 1 : l.cell / 12;
  int sum = 0;
  for (int y = top; y < top + l.cell; y += step)
    for (int x = left; x < left + l.cell; x += step) sum += ghost::luma_at(picture, x, y);
  const int x = left + l.cell / 2, y = top + l.cell / 2;
  const auto slope = [&](int dx, int dy) {
    return static_cast<std::int16_t>(ghost::luma_at(picture, x + dx, y + dy) -
                                     ghost::luma_at(picture, x - dx, y - dy));
  };
  return {sum, slope(reach, 0), slope(0, reach)};
}

} // namespace vigil::tamper
