// SPDX-License-Identifier: LGPL-2.1-or-later
// Where the pixels of a picture lie in another one that shows it shifted, turned and larger: in whole pixels,
// so that nothing is resampled. Tiles of 8 x 8 pixels have one distance each, that of a similarity at their
// middle. The CPU alone finds and follows turns.
#pragma once

#include "common/shifted.h"

namespace vigil {

struct Position {
  int x, y;
  bool operator==(const Position &) const = default;
};

class Turned {
 public:
  static constexpr int tile = 8; // pixels, a power of two
  VIGIL_HOST_DEVICE Turned(Shift by, int width, int height)
      : by_(by), across_(width - 1), down_(height - 1), unit_(unit_of(width > height ? width : height)) {}
  // Where pixel (x, y) of the picture lies in the other one.
  VIGIL_HOST_DEVICE Position of(int x, int y) const {
    const Position d = distance(middle(x), middle(y));
    return {x + by_.x + d.x, y + by_.y + d.y};
  }
  // Which pixel of the picture pixel (u, v) of the other one shows. Each has one, but two may have the same,
  // or none may have it. of() of the answer is at most a pixel from (u, v) on each axis, where the picture
  // turns by up to 2 degrees and grows by up to 2 %.
  VIGIL_HOST_DEVICE Position back(int u, int v) const {
    const int x = middle(u) - by_.x, y = middle(v) - by_.y;
    const Position near = distance(x, y), d = distance(x - near.x, y - near.y);
    return {u - by_.x - d.x, v - by_.y - d.y};
  }

 private:
  static constexpr int bits = 20; // of fractions
  static VIGIL_HOST_DEVICE int unit_of(int longest) { return ((1 << (bits - 1)) + longest / 2) / longest; }
  static VIGIL_HOST_DEVICE int middle(int v) { return (v & ~(tile - 1)) + tile / 2; }
  VIGIL_HOST_DEVICE Position distance(int x, int y) const {
    const int across = 2 * x - across_, down = 2 * y - down_; // twice that from the middle
    return {((by_.zoom * across - by_.turn * down) * unit_ + (1 << (bits - 1))) >> bits,
            ((by_.zoom * down + by_.turn * across) * unit_ + (1 << (bits - 1))) >> bits};
  }
  Shift by_;
  int across_, down_, unit_;
};

} // namespace vigil
