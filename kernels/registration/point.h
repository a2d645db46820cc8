// SPDX-License-Identifier: LGPL-2.1-or-later
// The points of registration.h, the same integers in the CPU and the CUDA backend.
#pragma once

#include "kernels/ghost/luma.h"
#include "kernels/registration/registration.h"

namespace vigil::registration {

struct EdgePoint {
  int x, y;
  bool down;      // the edge's samples lie above and below, not left and right
  int difference; // b; less than least_edge, either way: it is no point
  VIGIL_HOST_DEVICE bool is_one() const { return difference >= least_edge || difference <= -least_edge; }
};

// How a picture of this size is cut. What is left over at the right and at the bottom has no points.
struct TileGrid {
  int width, height;   // of a tile
  int columns, rows;   // of tiles
  int step;            // from candidate to candidate
  int across, upwards; // candidates of a tile
  VIGIL_HOST_DEVICE TileGrid(int picture_width, int picture_height)
      : width(tile_side(picture_width, tile_columns)), height(tile_side(picture_height, tile_rows)),
        columns(tiles(picture_width, width, tile_columns)), rows(tiles(picture_height, height, tile_rows)),
        step(tile_side(width < height ? width : height, 6)), across((width + step - 1) / step),
        upwards((height + step - 1) / step) {}
  VIGIL_HOST_DEVICE int candidates() const { return across * upwards; }
  VIGIL_HOST_DEVICE int count() const { return columns * rows; }

 private:
  static VIGIL_HOST_DEVICE int tile_side(int size, int parts) { return size < parts ? 1 : size / parts; }
  static VIGIL_HOST_DEVICE int tiles(int size, int side, int most) {
    return size / side < most ? size / side : most;
  }
};

// Candidate i of a tile, in the order of rows.
inline VIGIL_HOST_DEVICE EdgePoint candidate(const ConstImage &p, const TileGrid &g, int tile, int i,
                                             bool down, int reach) {
  const int x = tile % g.columns * g.width + i % g.across * g.step,
            y = tile / g.columns * g.height + i / g.across * g.step;
  const int b = down ? ghost::luma_at(p, x, y + reach) - ghost::luma_at(p, x, y - reach)
                     : ghost::luma_at(p, x + reach, y) - ghost::luma_at(p, x - reach, y);
  return {x, y, down, b};
}
inline VIGIL_HOST_DEVICE int size_of(int v) {
  return v < 0 ? -v : v;
}
// How far a point agrees, in 1/share_unit; f: the frame's difference there.
inline VIGIL_HOST_DEVICE int share_of(int f, int b) {
  if ((f < 0) != (b < 0)) return 0;
  const int a = size_of(f), c = size_of(b), most = a > c ? a : c;
  return static_cast<int>(static_cast<float>(share_unit * (a < c ? a : c)) / static_cast<float>(most));
}
// The score of a shift from the points' parts; `seen`: points whose samples lie in the frame, of `count`.
inline VIGIL_HOST_DEVICE float score_of(std::uint32_t sum, int seen, int count) {
  if (seen == 0 || 2 * seen < count) return 0;
  return static_cast<float>(sum) / static_cast<float>(share_unit * seen);
}

} // namespace vigil::registration
