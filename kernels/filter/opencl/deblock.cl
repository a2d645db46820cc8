// SPDX-License-Identifier: LGPL-2.1-or-later
// The stage deblock; filter.h has the formulas. Defined before: COLOUR (0 or 1); DEEP (0 or 1): 16 bits a sample.
#if COLOUR
#define CHANNELS 3
#define SAMPLES 4
#else
#define CHANNELS 1
#define SAMPLES 1
#endif
#if DEEP
typedef ushort Level;
#define FULL 65535
#else
typedef uchar Level;
#define FULL 255
#endif

typedef struct {
  __global const uchar *data;
  int stride, width, height;
} Source;

// Of four values across an edge: the one in place k as it becomes.
inline int smoothed(int a, int b, int c, int d, int k, int strength) {
  const int step = (a - 4 * b + 4 * c - d) / 8, size = (int)abs(step);
  const int ramp = max(0, size - max(0, 2 * (size - strength))), e = step < 0 ? -ramp : ramp;
  const int limit = (int)abs(e / 2), f = clamp((a - d) / 4, -limit, limit);
  return k == 0 ? a - f : k == 1 ? clamp(b + e, 0, FULL) : k == 2 ? clamp(c - e, 0, FULL) : d + f;
}

// Where the four values begin that `at` belongs to; -1 where it belongs to none. The first edge is within one block.
inline int group_of(int at, int first, int size, int length) {
  const int place = (at - first + 2 + size) % size; // 0..3: A to D
  const int begin = at - place;
  return place < 4 && begin >= 0 && begin + 3 < length ? begin : -1;
}

inline int level_at(Source s, int x, int y, int channel) {
  return ((__global const Level *)(s.data + y * s.stride))[x * SAMPLES + channel];
}
// After the rows are done.
inline int along_row(Source s, int x, int y, int channel, int begin, int strength) {
  if (begin < 0) return level_at(s, x, y, channel);
  return smoothed(level_at(s, begin, y, channel), level_at(s, begin + 1, y, channel), level_at(s, begin + 2, y, channel),
                  level_at(s, begin + 3, y, channel), x - begin, strength);
}

__kernel void deblock(__global const uchar *restrict src, int src_offset, int src_stride, __global uchar *restrict dst,
                      int dst_offset, int dst_stride, int width, int height, int size, int left, int top, int strength) {
  const int x = get_global_id(0), y = get_global_id(1);
  if (x >= width || y >= height) return;
  const Source s = {src + src_offset, src_stride, width, height};
  __global Level *to = (__global Level *)(dst + dst_offset + y * dst_stride) + x * SAMPLES;
  const int column = group_of(x, left, size, width), row = group_of(y, top, size, height);
  for (int c = 0; c < CHANNELS; c++) {
    int v[4];
    if (row < 0) {
      to[c] = (Level)along_row(s, x, y, c, column, strength);
      continue;
    }
    for (int i = 0; i < 4; i++) v[i] = along_row(s, x, row + i, c, column, strength);
    to[c] = (Level)smoothed(v[0], v[1], v[2], v[3], y - row, strength);
  }
#if COLOUR
  to[3] = (Level)level_at(s, x, y, 3);
#endif
}
