// SPDX-License-Identifier: LGPL-2.1-or-later
// What stands behind a kernel of the user's: calls it for each pixel, and stores what it gives.
__kernel void each_pixel(__global const uchar *src, int src_offset, int src_stride, __global uchar *dst,
                         int dst_offset, int dst_stride, int width, int height, float4 p) {
  const int x = get_global_id(0), y = get_global_id(1);
  if (x >= width || y >= height) return;
  src += src_offset;
  __global LEVEL *to = (__global LEVEL *)(dst + dst_offset + y * dst_stride) + x * SAMPLES;
  Picture in = {src, src_stride, width, height};
  const int4 v = clamp(convert_int4(
#line 1 "the call of: int4 filter(Picture in, int x, int y, float4 p)"
      filter(in, x, y, p)
      ), 0, FULL);
  to[0] = (LEVEL)(SWAPPED ? v.z : v.x);
#if SAMPLES == 4
  to[1] = (LEVEL)v.y;
  to[2] = (LEVEL)(SWAPPED ? v.x : v.z);
  to[3] = ((__global const LEVEL *)(src + y * src_stride))[x * SAMPLES + 3];
#endif
}
