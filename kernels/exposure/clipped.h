// SPDX-License-Identifier: LGPL-2.1-or-later
// What was clipped in frames of Y, U and V.
//
// A camera clips R, G and B before it makes Y, U and V of them. What R lost is then missing in all three, and
// none of the three is at an end of its range. In levels of luma, with u = U - 128 and v = V - 128, the
// colours are
//   B = Y + blue u,   R = Y + red v,   G = Y - (green_u u + green_v v)
// by the matrix of the frames (with Kr = 0.299 and Kb = 0.114 and video range red = 1.371, blue = 1.733).
// A pixel in which one of them is at white (235 or 255) less 7, or above, was perhaps clipped: an encoder
// leaves white at some levels less. Its chroma is that of the block that it lies in; a block's luma is that
// of its upper left pixel.
//
// Such a pixel, mapped, lacks d of each colour that was clipped in the frame, where d is what the background
// has more of it, at most 255, and 0 where that has less:
//   Y + D,  U + (d_B - D) / blue,  V + (d_R - D) / red,  with D = Kr d_R + Kg d_G + Kb d_B
// Whole numbers, in 1/64, products rounded down, so that every backend computes alike.
// Source: this project.
#pragma once

#include "common/device.h"

namespace vigil::exposure {

// How the frames' Y, U and V stand for colours; chroma is numbered as in the frame: 1 is U, 2 is V, or the
// other way round where V comes first. Numbers in 1/64: of the colour that belongs to each chroma (blue to
// U, red to V), of chroma in green, the shares of luma, and those of chroma in what is put back.
struct Colours {
  int of_1 = 111, of_2 = 88;
  int green_1 = 22, green_2 = 45;
  int share_1 = 7, share_2 = 19, share_green = 38;
  int back_1 = 37, back_2 = 47;
  int clipped = 228; // from this level on
  bool operator==(const Colours &) const = default;
};
// kr, kb: what red and blue count in luma, 0.05 to 0.5 each. Y is 16..235 and chroma 16..240 of video range,
// all are 0..255 of full range. The default is that of ITU-R BT.601 in video range.
Colours colours_for(double kr, double kb, bool full_range, bool v_first);

// A pixel; 128 for both chromas where luma alone is compared.
struct Yuv {
  int y, c1, c2;
};
// What chroma adds to luma in the colours that belong to it, and in green.
struct Levels {
  int c1, c2, green;
};
constexpr VIGIL_HOST_DEVICE Levels added_by(const Yuv &p, const Colours &k) {
  const int a = p.c1 - 128, b = p.c2 - 128;
  return {k.of_1 * a >> 6, k.of_2 * b >> 6, -((k.green_1 * a + k.green_2 * b) >> 6)};
}
// The colours in levels of luma.
constexpr VIGIL_HOST_DEVICE Levels levels_of(const Yuv &p, const Colours &k) {
  const Levels a = added_by(p, k);
  return {p.y + a.c1, p.y + a.c2, p.y + a.green};
}
constexpr VIGIL_HOST_DEVICE bool perhaps_clipped(const Yuv &p, const Colours &k) {
  const Levels a = added_by(p, k);
  const int most = a.c1 > a.c2 ? a.c1 : a.c2;
  return p.y + (most > a.green ? most : a.green) >= k.clipped;
}
// What a colour of the frame lacks when it is mapped.
constexpr VIGIL_HOST_DEVICE int lacking(int frame, int mapped, int background, int clipped) {
  if (frame < clipped || mapped >= background) return 0;
  return background - mapped < 255 ? background - mapped : 255;
}
constexpr VIGIL_HOST_DEVICE int byte(int v) {
  return v < 0 ? 0 : v > 255 ? 255 : v;
}
// The mapped pixel with what was clipped put back.
constexpr VIGIL_HOST_DEVICE Yuv restored(const Yuv &frame, const Yuv &mapped, const Yuv &background,
                                         const Colours &k) {
  const Levels f = levels_of(frame, k), m = levels_of(mapped, k), b = levels_of(background, k);
  const int d1 = lacking(f.c1, m.c1, b.c1, k.clipped), d2 = lacking(f.c2, m.c2, b.c2, k.clipped),
            green = lacking(f.green, m.green, b.green, k.clipped);
  const int all = (k.share_1 * d1 + k.share_2 * d2 + k.share_green * green + 32) >> 6;
  return {byte(mapped.y + all), byte(mapped.c1 + ((k.back_1 * (d1 - all) + 32) >> 6)),
          byte(mapped.c2 + ((k.back_2 * (d2 - all) + 32) >> 6))};
}

} // namespace vigil::exposure
