// SPDX-License-Identifier: LGPL-2.1-or-later
// What the steps share. Words of the state: what is known after a frame, this frame's search, the points, and the
// pyramids of the background and the frame: of each level the means, then of each level the slopes, a word a cell.
layout(std140, binding = 0) uniform Job {
  int format, width, height;
  uint offset0, offset1, offset2;
  int stride0, stride1, stride2;
  int reach, range, fresh;
  int tile_width, tile_height, tile_columns, tiles, step_size, across, candidates; // TileGrid
  int cell, cell_step;                                                          // CoarseGrid
  int columns0, columns1, columns2, rows0, rows1, rows2;
  int level, of_frame; // that is made; 1: the frame's, 0: the background's
  uint sway_offset;
};
layout(std430, binding = 0) readonly buffer Frame0 { uint frame0[]; };
layout(std430, binding = 1) buffer State { int state[]; };

#define COUNT 0
#define LAST 1     // the last shift
#define LOWEST 3   // Handover, in 1/200 pixel: x, y
#define HIGHEST 5  //
#define MEAN 7     // in pixels, floats
#define REST 9     // this frame's: score of no shift, a float
#define BEST 10    // x, y, score
#define LOST 13
#define POINTS 16  // x, y, 1 where the edge lies down, difference: one point after another
#define PYRAMIDS (POINTS + 4 * MOST_POINTS)

int luma_at(int x, int y) {
  x = clamp(x, 0, width - 1);
  y = clamp(y, 0, height - 1);
  return int(LUMA(frame0, format, offset0, stride0, x, y));
}

int columns_of(int l) { return l == 0 ? columns0 : l == 1 ? columns1 : columns2; }
int rows_of(int l) { return l == 0 ? rows0 : l == 1 ? rows1 : rows2; }
int cells_before(int l) {
  int cells = 0;
  for (int i = 0; i < l; i++) cells += columns_of(i) * rows_of(i);
  return cells;
}
int means_of(int frame, int l) { return PYRAMIDS + frame * 2 * cells_before(3) + cells_before(l); }
int slopes_of(int frame, int l) { return means_of(frame, l) + cells_before(3); }
