// SPDX-License-Identifier: LGPL-2.1-or-later
// A work-group of GROUP_X x GROUP_Y filters GROUP_X x GROUP_Y*ROWS pixels: their neighbourhood, with what weights are made
// from, is read into local memory once. A work-item does ROWS pixels of one column, so that each neighbour that it
// fetches serves up to ROWS pixels.
#define TILE_X (GROUP_X + 2 * RADIUS)
#define TILE_Y (GROUP_Y * ROWS + 2 * RADIUS)

// The pixel and its guide in as few words as possible. Without a guide picture of its own the guide of modes ONE and
// CHANNELS is the pixel, scaled.
#if MODE == ONE && !GUIDE
typedef float cell_t;
#define VALUE(c) (c)
#define GUIDE_OF(c) (c)
#elif MODE == ONE
typedef float2 cell_t;
#define VALUE(c) (c).x
#define GUIDE_OF(c) (c).y
#elif MODE == INTENSITY
typedef float4 cell_t;
#define VALUE(c) (c).xyz
#define GUIDE_OF(c) (c).w
#elif !GUIDE
typedef float4 cell_t;
#define VALUE(c) (c).xyz
#define GUIDE_OF(c) (c).xyz
#else
typedef float8 cell_t;
#define VALUE(c) (c).s012
#define GUIDE_OF(c) (c).s456
#endif
#define GUIDE_IS_VALUE (MODE != INTENSITY && !GUIDE)

kernel __attribute__((reqd_work_group_size(GROUP_X, GROUP_Y, 1))) void bilateral_tile(ARGUMENTS) {
  local cell_t tile[TILE_Y * TILE_X];
  local float weights[16];
  const int lx = get_local_id(0), ly = get_local_id(1);
  const int x0 = (int)get_group_id(0) * GROUP_X - RADIUS, y0 = (int)get_group_id(1) * (GROUP_Y * ROWS) - RADIUS;
  in += in_at;
  guide += guide_at;
#if QUANTIZED
  if (lx == 0 && ly == 0) vstore16(table, 0, weights);
#endif
  for (int i = ly * GROUP_X + lx; i < TILE_X * TILE_Y; i += GROUP_X * GROUP_Y) {
    const int x = clamp(x0 + i % TILE_X, 0, width - 1), y = clamp(y0 + i / TILE_X, 0, height - 1);
    const value_t v = read_value(in + (long)y * in_stride, x, step);
#if GUIDE
    const guide_t g = scaled(read_value(guide + (long)y * guide_stride, x, step), k);
#else
    const guide_t g = scaled(v, k);
#endif
    cell_t c;
#if GUIDE_IS_VALUE && MODE == CHANNELS
    c.xyz = g;
#elif GUIDE_IS_VALUE
    c = g;
#else
    VALUE(c) = v;
    GUIDE_OF(c) = g;
#endif
    tile[i] = c;
  }
  barrier(CLK_LOCAL_MEM_FENCE);

  guide_t g0[ROWS], total[ROWS];
  value_t sum[ROWS];
#if MODE == ONE && GUIDE // sums of differences from the centre: 16 bits need it
  value_t v0[ROWS];
#define RELATIVE(v, j) ((v) - v0[j])
#define ABSOLUTE(v, j) ((v) + v0[j])
#else
#define RELATIVE(v, j) (v)
#define ABSOLUTE(v, j) (v)
#endif
  local const cell_t *corner = tile + ly * ROWS * TILE_X + lx;
#pragma unroll
  for (int j = 0; j < ROWS; j++) {
    g0[j] = GUIDE_OF(corner[(j + RADIUS) * TILE_X + RADIUS]);
#if MODE == ONE && GUIDE
    v0[j] = VALUE(corner[(j + RADIUS) * TILE_X + RADIUS]);
#endif
    total[j] = 0;
    sum[j] = 0;
  }
#if UNROLL
#pragma unroll
#else
#pragma unroll 1
#endif
  for (int dx = 0; dx <= 2 * RADIUS; dx++) {
#pragma unroll
    for (int yy = 0; yy < ROWS + 2 * RADIUS; yy++) {
      const cell_t c = corner[yy * TILE_X + dx];
#pragma unroll
      for (int j = 0; j < ROWS; j++) {
        const int dy = yy - j;
        if (dy < 0 || dy > 2 * RADIUS) continue;
        const guide_t d = GUIDE_OF(c) - g0[j];
        const guide_t w = weight_of(d, SPATIAL(dx - RADIUS, dy - RADIUS), bins, weights);
#if GUIDE_IS_VALUE
        sum[j] += w * d;
#else
        sum[j] += w * RELATIVE(VALUE(c), j);
#endif
        total[j] += w;
      }
    }
  }
  const int x = x0 + RADIUS + lx, y = y0 + RADIUS + ly * ROWS;
#pragma unroll
  for (int j = 0; j < ROWS; j++)
    if (x < width && y + j < height) {
#if GUIDE_IS_VALUE
      const value_t v = (g0[j] + DIVIDE(sum[j], total[j])) * k.w; // k.w: back to levels
#else
      const value_t v = ABSOLUTE(DIVIDE(sum[j], total[j]), j);
#endif
      write_value(out + out_at + (long)(y + j) * out_stride, x, step, v, in + (long)(y + j) * in_stride);
    }
}
