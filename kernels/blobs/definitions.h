// SPDX-License-Identifier: LGPL-2.1-or-later
// What the reference and all backends agree on.
#pragma once

#include "kernels/blobs/blobs.h"

namespace vigil::blobs {

struct Colour {
  std::uint32_t c[3];
};
VIGIL_HOST_DEVICE inline Colour colour_at(const ConstImage &p, int x, int y) {
  const std::uint8_t *const first = p.plane(0).row(y);
  switch (p.format) {
  case PixelFormat::rgba:
    return {{first[4 * x], first[4 * x + 1], first[4 * x + 2]}};
  case PixelFormat::bgra:
    return {{first[4 * x + 2], first[4 * x + 1], first[4 * x]}};
  case PixelFormat::nv12: {
    const std::uint8_t *const uv = p.plane(1).row(y / 2) + x / 2 * 2;
    return {{first[x], uv[0], uv[1]}};
  }
  case PixelFormat::i420:
    return {{first[x], p.plane(1).row(y / 2)[x / 2], p.plane(2).row(y / 2)[x / 2]}};
  default:
    return {{first[x], 0, 0}};
  }
}

// How often min_area may be doubled and still be met by this area; -1: it is not met.
inline constexpr int levels = 32;
VIGIL_HOST_DEVICE inline int level_of(std::uint32_t area, std::uint32_t min_area) {
  int level = -1;
  for (std::uint32_t left = area / min_area; left > 0; left >>= 1) level++;
  return level;
}
// The doublings after which no more than `most` components are left; count[i] have level i.
VIGIL_HOST_DEVICE inline int doublings(const std::uint32_t *count, std::uint32_t most) {
  std::uint32_t above = 0;
  for (int level = levels - 1; level >= 0; level--) {
    if (count[level] > most - above) return level + 1;
    above += count[level];
  }
  return 0;
}

// What every backend does before it starts.
void check_config(const Config &);
void check_call(const Config &, Plane<const std::uint8_t> mask, const Extras &, const Results &);

} // namespace vigil::blobs
