// SPDX-License-Identifier: LGPL-2.1-or-later
// For .cu files: luma_at() with one access a pixel.
#pragma once

#include "common/cuda/bytes.h"
#include "kernels/ghost/luma.h"

namespace vigil::ghost {

__device__ inline int luma_of(const ConstImage &p, int x, int y) {
  if (p.format != PixelFormat::rgba && p.format != PixelFormat::bgra) return luma_at(p, x, y);
  x = max(0, min(x, p.width - 1));
  y = max(0, min(y, p.height - 1));
  const std::uint32_t v = load<4>(p.plane(0).row(y) + 4 * static_cast<std::ptrdiff_t>(x), 4).word[0];
  const int first = byte_of(v, 0), third = byte_of(v, 2);
  return p.format == PixelFormat::rgba ? mog::luma(first, byte_of(v, 1), third)
                                       : mog::luma(third, byte_of(v, 1), first);
}

} // namespace vigil::ghost
