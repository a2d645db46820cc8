// SPDX-License-Identifier: LGPL-2.1-or-later
// p010 as rgba64 and back; filter.h has the formulas. Defined before: FROM_BITS and TO_BITS, the factors' bits behind the
// point, and the factors themselves (yuv.h): BLACK, Y, RV, GU, GV, BU and YR .. VB. The 10 bits of a sample are its
// highest. Pixels of rgba64 are at multiples of their size.
#define UPPER 6
#define ROW(type, data, offset, stride, y) ((type)((data) + (offset) + (y) * (stride)))

// The largest sum has 31 bits.
inline ushort from_yuv(int sum) {
  return (ushort)clamp((sum + (1 << (FROM_BITS - 1))) >> FROM_BITS, 0, 65535);
}
inline ushort to_yuv(long sum, int middle, int bits) {
  sum += ((long)middle << bits) + (1L << (bits - 1));
  return (ushort)(clamp((int)(sum >> bits), 0, 1023) << UPPER);
}
inline long weighted(int kr, int kg, int kb, int r, int g, int b) {
  return (long)kr * r + (long)kg * g + (long)kb * b;
}

__kernel void open_p010(__global const uchar *restrict luma, int luma_offset, int luma_stride,
                        __global const uchar *restrict chroma, int chroma_offset, int chroma_stride,
                        __global uchar *restrict dst, int dst_offset, int dst_stride, int width, int height) {
  const int x = get_global_id(0), y = get_global_id(1);
  if (x >= width || y >= height) return;
  __global const ushort *uv = ROW(__global const ushort *, chroma, chroma_offset, chroma_stride, y / 2) + x / 2 * 2;
  const int level = ROW(__global const ushort *, luma, luma_offset, luma_stride, y)[x] >> UPPER;
  const int grey = Y * (level - BLACK), u = (uv[0] >> UPPER) - 512, v = (uv[1] >> UPPER) - 512;
  ROW(__global ushort4 *, dst, dst_offset, dst_stride, y)
  [x] = (ushort4)(from_yuv(grey + RV * v), from_yuv(grey + GU * u + GV * v), from_yuv(grey + BU * u), 65535);
}

// 2x2 pixels a work-item.
__kernel void close_p010(__global const uchar *restrict src, int src_offset, int src_stride,
                         __global uchar *restrict luma, int luma_offset, int luma_stride,
                         __global uchar *restrict chroma, int chroma_offset, int chroma_stride, int width, int height) {
  const int x = 2 * get_global_id(0), y = 2 * get_global_id(1);
  if (x >= width || y >= height) return;
  int r = 0, g = 0, b = 0;
  for (int j = 0; j < 2; j++)
    for (int i = 0; i < 2; i++) {
      const ushort4 p =
          ROW(__global const ushort4 *, src, src_offset, src_stride, min(y + j, height - 1))[min(x + i, width - 1)];
      r += p.x;
      g += p.y;
      b += p.z;
      if (x + i < width && y + j < height)
        ROW(__global ushort *, luma, luma_offset, luma_stride, y + j)
        [x + i] = to_yuv(weighted(YR, YG, YB, p.x, p.y, p.z), BLACK, TO_BITS);
    }
  __global ushort *uv = ROW(__global ushort *, chroma, chroma_offset, chroma_stride, y / 2) + x;
  uv[0] = to_yuv(weighted(UR, UG, UB, r, g, b), 512, TO_BITS + 2);
  uv[1] = to_yuv(weighted(VR, VG, VB, r, g, b), 512, TO_BITS + 2);
}
