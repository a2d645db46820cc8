// SPDX-License-Identifier: LGPL-2.1-or-later
// Stages over time; filter.h has the formulas. Defined before: COLOUR (0 or 1); DEEP (0 or 1): 16 bits a sample. before,
// after: m of each channel, pixel by pixel, rows without gaps.
#if COLOUR
#define CHANNELS 3
#define SAMPLES 4
#else
#define CHANNELS 1
#define SAMPLES 1
#endif
#if DEEP
typedef ushort Level;
typedef uint Kept;
typedef long Product; // of a difference and a gain
#else
typedef uchar Level;
typedef ushort Kept;
typedef int Product;
#endif

__kernel void temporal(__global const uchar *restrict src, int src_offset, int src_stride,
                       __global uchar *restrict dst, int dst_offset, int dst_stride, int width, int height,
                       __global const Kept *restrict before, __global Kept *restrict after, int first, int gain,
                       int threshold) {
  const int x = get_global_id(0), y = get_global_id(1);
  if (x >= width || y >= height) return;
  src += src_offset;
  __global Level *to = (__global Level *)(dst + dst_offset + y * dst_stride) + x * SAMPLES;
  __global const Level *v = (__global const Level *)(src + y * src_stride) + x * SAMPLES;
  __global const Kept *m = before + ((size_t)y * width + x) * CHANNELS;
  after += ((size_t)y * width + x) * CHANNELS;
  if (!first && threshold > 0) {
    int sum = 0;
    for (int j = -1; j <= 1; j++)
      for (int i = -1; i <= 1; i++) {
        const int nx = clamp(x + i, 0, width - 1), ny = clamp(y + j, 0, height - 1);
        __global const Level *nv = (__global const Level *)(src + ny * src_stride) + nx * SAMPLES;
        __global const Kept *nm = before + ((size_t)ny * width + nx) * CHANNELS;
        for (int c = 0; c < CHANNELS; c++) sum += abs_diff(256 * (int)nv[c], (int)nm[c]);
      }
    const int above = min(sum / (9 * CHANNELS) - threshold, threshold);
    if (above > 0) gain += (int)((Product)(256 - gain) * above / threshold);
  }
  for (int c = 0; c < CHANNELS; c++) {
    const int old = first ? 256 * (int)v[c] : (int)m[c];
    const int next = old + (int)(((Product)gain * (256 * (int)v[c] - old) + 128) >> 8);
    after[c] = (Kept)next;
    to[c] = (Level)((next + 128) >> 8);
  }
#if COLOUR
  to[3] = v[3];
#endif
}
