// SPDX-License-Identifier: LGPL-2.1-or-later
// The stage tonemap; filter.h has the formulas. Defined before: COLOUR, BLUE_FIRST, DEEP (16 bits a sample), 0 or 1 each;
// REACH, OWN, LIMIT and LUMA_R, LUMA_G, LUMA_B of definitions.h.
#if COLOUR
#define SAMPLES 4
#else
#define SAMPLES 1
#endif
#if DEEP
typedef ushort Level;
typedef ulong Wide;
#define FULL 65535
#else
typedef uchar Level;
typedef uint Wide; // 255 times the greatest gain, 2^20
#define FULL 255
#endif

inline int light_of(__global const Level *pixel, __global const int *level) {
#if COLOUR
  const uint r = pixel[2 * BLUE_FIRST], g = pixel[1], b = pixel[2 - 2 * BLUE_FIRST];
  return level[(LUMA_R * r + LUMA_G * g + LUMA_B * b + 32768u) >> 16];
#else
  return level[pixel[0]];
#endif
}

__kernel void tone_means(__global const uchar *restrict src, int src_offset, int src_stride, int width, int height, int size,
                         int columns, int rows, __global const int *restrict tables, __global int *restrict means) {
  const int bx = get_global_id(0), by = get_global_id(1);
  if (bx >= columns || by >= rows) return;
  const int x0 = bx * size, y0 = by * size, x1 = min(width, x0 + size), y1 = min(height, y0 + size);
  int sum = 0;
  for (int y = y0; y < y1; y++) {
    __global const Level *row = (__global const Level *)(src + src_offset + (long)y * src_stride);
    for (int x = x0; x < x1; x++) sum += light_of(row + x * SAMPLES, tables);
  }
  means[by * columns + bx] = sum / ((x1 - x0) * (y1 - y0));
}

// `spatial`, `range` and `gain` are where these tables begin.
__kernel void tone_map(__global const uchar *restrict src, int src_offset, int src_stride, __global uchar *restrict dst,
                       int dst_offset, int dst_stride, int width, int height, int size, int columns, int rows,
                       int compression, int detail, int anchor, __global const int *restrict tables, int spatial, int range,
                       int gain, __global const int *restrict means) {
  const int x = get_global_id(0), y = get_global_id(1);
  if (x >= width || y >= height) return;
  __global const Level *from = (__global const Level *)(src + src_offset + (long)y * src_stride) + x * SAMPLES;
  __global Level *to = (__global Level *)(dst + dst_offset + (long)y * dst_stride) + x * SAMPLES;
  const int own = light_of(from, tables), last = (2 * REACH + 1) * size;
  uint sum = (uint)(OWN * own), weights = OWN; // 25 blocks of weight up to 2^14, l up to 2^13: below 2^32
  for (int j = -REACH; j <= REACH; j++) {
    const int by = y / size + j, dy = (int)abs(2 * y + 1 - (2 * by + 1) * size);
    if (dy > last) continue;
    const int near_y = tables[spatial + dy];
    __global const int *row = means + clamp(by, 0, rows - 1) * columns;
    for (int i = -REACH; i <= REACH; i++) {
      const int bx = x / size + i, dx = (int)abs(2 * x + 1 - (2 * bx + 1) * size);
      if (dx > last) continue;
      const int l = row[clamp(bx, 0, columns - 1)];
      const uint near = (uint)(tables[spatial + dx] * near_y) >> 12;
      const uint w = near * (uint)tables[range + (int)abs(own - l)] >> 10;
      sum += w * (uint)l;
      weights += w;
    }
  }
  const int base = (int)((sum + weights / 2) / weights);
  const int e = clamp((compression * (anchor - base) + detail * (own - base)) >> 8, -LIMIT, LIMIT);
  const Wide g = (Wide)tables[gain + e + LIMIT];
#if COLOUR
  for (int c = 0; c < 3; c++) to[c] = (Level)min((Wide)FULL, ((Wide)from[c] * g + 32768) >> 16);
  to[3] = from[3];
#else
  to[0] = (Level)min((Wide)FULL, ((Wide)from[0] * g + 32768) >> 16);
#endif
}
