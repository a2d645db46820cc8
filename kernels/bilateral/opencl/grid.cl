// SPDX-License-Identifier: LGPL-2.1-or-later
// The approximation of grid.h. A cell holds the sums of weight * value and of weights, for one level of the guide; cells of
// a level lie row by row, levels behind each other. LEVELS_AT_ONCE levels, at most 8,
// are made by one work-item. VECTORS: for processors, which want explicit ones.
#if MODE == ONE
#define SUMS 2
typedef float2 sums_t;
#else
#define SUMS 4
typedef float4 sums_t;
#endif
#define GLUE2(a, b) a##b
#define GLUE(a, b) GLUE2(a, b)
// Half floats halve the traffic. Sums are kept in units that keep them in their range.
#if HALVES
typedef half stored_t;
#define LOAD_CELL(i, p) GLUE(vload_half, SUMS)(i, p)
#define STORE_CELL(v, i, p) GLUE(vstore_half, SUMS)(v, i, p)
#else
typedef float stored_t;
#define LOAD_CELL(i, p) GLUE(vload, SUMS)(i, p)
#define STORE_CELL(v, i, p) GLUE(vstore, SUMS)(v, i, p)
#endif
#define UNIT 256.f // of weights; values are parts of full scale

inline guide_t guide_at_pixel(value_t v, global const uchar *guide_row, int x, int step, float4 k) {
#if GUIDE
  return scaled(read_value(guide_row, x, step), k);
#else
  return scaled(v, k);
#endif
}

#if VECTORS
DEFINE_POWER_OF_TWO(8)
#endif

// Cell i of a row stands for the `spacing` pixels from (i - border) * spacing on. k.w is full scale.
kernel void grid_splat(global const uchar *in, int in_at, int in_stride, global const uchar *guide, int guide_at,
                       int guide_stride, int width, int height, int step, float4 k, global stored_t *grid, int columns,
                       int rows, int border, int spacing, int levels, float level_step) {
  const int i = get_global_id(0), job = get_global_id(1);
  const int first = job / rows * LEVELS_AT_ONCE, j = job % rows;
  if (i >= columns || first >= levels) return;
#if VECTORS // the levels, up to 8, are one vector
  const float8 level = level_step * (float8)(0, 1, 2, 3, 4, 5, 6, 7);
  float8 sum[SUMS];
#else
  sums_t sum[LEVELS_AT_ONCE];
#endif
  const int sums = sizeof sum / sizeof sum[0];
#pragma unroll
  for (int l = 0; l < sums; l++) sum[l] = 0;
  for (int py = 0; py < spacing; py++) {
    const int y = clamp((j - border) * spacing + py, 0, height - 1);
    global const uchar *row = in + in_at + (long)y * in_stride;
    global const uchar *guide_row = guide + guide_at + (long)y * guide_stride;
    for (int px = 0; px < spacing; px++) {
      const int x = clamp((i - border) * spacing + px, 0, width - 1);
      const value_t v = read_value(row, x, step);
      const guide_t g = guide_at_pixel(v, guide_row, x, step, k) - (float)first * level_step;
#if VECTORS
      const float8 d = (float8)(g) - level;
      const float8 w = power_of_two8(-d * d);
#if MODE == ONE
      sum[0] += w * v;
#else
      sum[0] += w * v.x;
      sum[1] += w * v.y;
      sum[2] += w * v.z;
#endif
      sum[SUMS - 1] += w * k.w;
#else
#pragma unroll
      for (int l = 0; l < LEVELS_AT_ONCE; l++) {
        const float d = g - (float)l * level_step;
        sum[l] += EXP2(-d * d) * (sums_t)(v, k.w);
      }
#endif
    }
  }
  const float unit = UNIT / (k.w * (float)(spacing * spacing));
#if VECTORS
  float of_level[SUMS][8];
  for (int c = 0; c < SUMS; c++) vstore8(sum[c] * unit, 0, of_level[c]);
#endif
#pragma unroll
  for (int l = 0; l < LEVELS_AT_ONCE; l++)
    if (first + l < levels) {
      const int at = ((first + l) * rows + j) * columns + i;
#if !VECTORS
      STORE_CELL(sum[l] * unit, at, grid);
#elif MODE == ONE
      STORE_CELL((sums_t)(of_level[0][l], of_level[1][l]), at, grid);
#else
      STORE_CELL((sums_t)(of_level[0][l], of_level[1][l], of_level[2][l], of_level[3][l]), at, grid);
#endif
    }
}

// The blur in one direction, symmetric. At the grid's own edge the nearest cell counts; the border is so wide that cells
// that this reaches are never looked at.
kernel void grid_blur(global const stored_t *from, global stored_t *to, int columns, int rows, int levels,
                      int vertical, float16 taps) {
  const int i = get_global_id(0), job = get_global_id(1);
  if (i >= columns || job >= rows * levels) return;
  float tap[16];
  vstore16(taps, 0, tap);
  const int at = job * columns + i;
  const int position = vertical ? job % rows : i, last = (vertical ? rows : columns) - 1, stride = vertical ? columns : 1;
  sums_t sum = tap[0] * LOAD_CELL(at, from);
#pragma unroll
  for (int t = 1; t <= TAPS; t++) {
    const int before = min(t, position), after = min(t, last - position);
    sum += tap[t] * (LOAD_CELL(at - before * stride, from) + LOAD_CELL(at + after * stride, from));
  }
  STORE_CELL(sum, at, to);
}

kernel void grid_slice(ARGUMENTS, global const stored_t *grid, int columns, int rows, int border, float to_cells,
                       float offset, int levels, float to_levels) {
  const int x = get_global_id(0), y = get_global_id(1);
  if (x >= width || y >= height) return;
  global const uchar *row = in + in_at + (long)y * in_stride;
  const value_t v0 = read_value(row, x, step);
  const guide_t g = guide_at_pixel(v0, guide + guide_at + (long)y * guide_stride, x, step, k);
  const float cx = ((float)x - offset) * to_cells, cy = ((float)y - offset) * to_cells;
  const float fx = floor(cx), fy = floor(cy), ax = cx - fx, ay = cy - fy;
  const float level = clamp(g * to_levels, 0.f, (float)(levels - 1));
  const float fz = min(floor(level), (float)(levels - 2)), az = level - fz;
  const int at = (((int)fz) * rows + (int)fy + border) * columns + (int)fx + border;
  const int level_cells = rows * columns;
  sums_t s = 0;
#pragma unroll
  for (int z = 0; z < 2; z++) {
    const float wz = z ? az : 1 - az;
    const int b = at + z * level_cells;
    const sums_t near = LOAD_CELL(b, grid) * (1 - ax) + LOAD_CELL(b + 1, grid) * ax;
    const sums_t far = LOAD_CELL(b + columns, grid) * (1 - ax) + LOAD_CELL(b + columns + 1, grid) * ax;
    s += wz * (near * (1 - ay) + far * ay);
  }
#if MODE == ONE
  const value_t v = s.x / s.y;
#else
  const value_t v = DIVIDE(s.xyz, s.w);
#endif
  write_value(out + out_at + (long)y * out_stride, x, step, clamp(v * k.w, (value_t)0.f, (value_t)(k.w)), row);
}
