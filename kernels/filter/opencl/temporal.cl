// SPDX-License-Identifier: LGPL-2.1-or-later
// Stages over time; filter.h has the formulas. Defined before: COLOUR (0 or 1). before, after: m of each channel, pixel by
// pixel, rows without gaps.
#if COLOUR
#define CHANNELS 3
#define BYTES 4
#else
#define CHANNELS 1
#define BYTES 1
#endif

__kernel void temporal(__global const uchar *restrict src, int src_offset, int src_stride,
                       __global uchar *restrict dst, int dst_offset, int dst_stride, int width, int height,
                       __global const ushort *restrict before, __global ushort *restrict after, int first, int gain,
                       int threshold) {
  const int x = get_global_id(0), y = get_global_id(1);
  if (x >= width || y >= height) return;
  src += src_offset;
  dst += dst_offset + y * dst_stride + x * BYTES;
  __global const uchar *v = src + y * src_stride + x * BYTES;
  __global const ushort *m = before + ((size_t)y * width + x) * CHANNELS;
  after += ((size_t)y * width + x) * CHANNELS;
  if (!first && threshold > 0) {
    int sum = 0;
    for (int j = -1; j <= 1; j++)
      for (int i = -1; i <= 1; i++) {
        const int nx = clamp(x + i, 0, width - 1), ny = clamp(y + j, 0, height - 1);
        __global const uchar *nv = src + ny * src_stride + nx * BYTES;
        __global const ushort *nm = before + ((size_t)ny * width + nx) * CHANNELS;
        for (int c = 0; c < CHANNELS; c++) sum += abs_diff(256 * nv[c], (int)nm[c]);
      }
    const int above = min(sum / (9 * CHANNELS) - threshold, threshold);
    if (above > 0) gain += (256 - gain) * above / threshold;
  }
  for (int c = 0; c < CHANNELS; c++) {
    const int old = first ? 256 * v[c] : m[c];
    const int next = old + ((gain * (256 * v[c] - old) + 128) >> 8);
    after[c] = (ushort)next;
    dst[c] = (uchar)((next + 128) >> 8);
  }
#if COLOUR
  dst[3] = v[3];
#endif
}
