// SPDX-License-Identifier: LGPL-2.1-or-later
// What the fast backends work with: a style turned into arithmetic on words of four bytes, and boxes turned
// into rectangles. The reference knows nothing of it.
#pragma once

#include "kernels/compose/compose.h"

namespace vigil::compose {

// What happens to the pixels of one class: c' = (scale * c + offset) >> 8 in each of the four bytes of a
// word, but the bytes of `keep` stay. The sums never pass 16 bits, so two bytes are worked on in one 32-bit
// number: bytes 0 and 2 with the offsets in `even`, bytes 1 and 3 with those in `odd`.
struct Blend {
  std::uint32_t scale = 256; // 0..256
  std::uint32_t even = 0, odd = 0;
  std::uint32_t keep = 0;

  VIGIL_HOST_DEVICE std::uint32_t operator()(std::uint32_t word) const {
    constexpr std::uint32_t bytes = 0x00ff00ff;
    const std::uint32_t e = (word & bytes) * scale + even, o = (word >> 8 & bytes) * scale + odd;
    const std::uint32_t blended = (e >> 8 & bytes) | (o & ~bytes);
    return (blended & ~keep) | (word & keep);
  }
  bool copies() const { return scale == 256 && even == 0 && odd == 0; }
};

// The classes of a pixel: 0 < mask < 255 is shadow. For subsampled chroma the mask is the largest of its
// pixels'.
struct Blends {
  Blend background, shadow, foreground;
};

// One plane of a picture: how it is blended, and what a pixel on an outline becomes.
struct Layer {
  int pixel_bytes = 1;
  bool chroma = false; // a pixel of the plane stands for 2x2 of the picture
  Blends blends;
  std::uint8_t outline[4] = {};
  int outline_bytes = 1; // the first bytes of a pixel that an outline changes
};
struct Layers {
  Layer plane[3]; // as many as the format has planes
};
Layers foreground_layers(PixelFormat, const Style &);
Layers overlay_layers(PixelFormat, const Style &);

// Pixels left <= x < right, top <= y < bottom; maybe none.
struct Rectangle {
  int left, top, right, bottom;
};
// The part of a box's outline that is in the picture: the pixels of `outer` that are not in `inner`, which is
// within it.
struct Outline {
  Rectangle outer, inner;

  static constexpr int parts = 4;
  // They share no pixel; some may be empty.
  VIGIL_HOST_DEVICE Rectangle part(int i) const {
    switch (i) {
    case 0:
      return {outer.left, outer.top, outer.right, inner.top};
    case 1:
      return {outer.left, inner.bottom, outer.right, outer.bottom};
    case 2:
      return {outer.left, inner.top, inner.left, inner.bottom};
    default:
      return {inner.right, inner.top, outer.right, inner.bottom};
    }
  }
  // The pixels of a subsampled plane that a rectangle touches.
  VIGIL_HOST_DEVICE static Rectangle touched(const Rectangle &r) {
    return {r.left / 2, r.top / 2, (r.right + 1) / 2, (r.bottom + 1) / 2};
  }
};
struct Outlines {
  int count = 0;
  Outline outline[max_boxes];
};
Outlines outlines_of(std::span<const DrawnBox>, const Style &, int width, int height);

} // namespace vigil::compose
