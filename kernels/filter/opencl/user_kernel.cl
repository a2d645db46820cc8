// SPDX-License-Identifier: LGPL-2.1-or-later
// What stands behind a kernel of the user's: calls it for each pixel, and stores what it gives.
__kernel void each_pixel(__global const uchar *src, int src_offset, int src_stride, __global uchar *dst,
                         int dst_offset, int dst_stride, int width, int height, float4 p) {
  const int x = get_global_id(0), y = get_global_id(1);
  if (x >= width || y >= height) return;
  src += src_offset;
  dst += dst_offset + y * dst_stride + x * BYTES;
  Picture in = {src, src_stride, width, height};
  const uchar4 v = convert_uchar4_sat(
#line 1 "the call of: int4 filter(Picture in, int x, int y, float4 p)"
      filter(in, x, y, p)
  );
  dst[0] = SWAPPED ? v.z : v.x;
#if BYTES == 4
  dst[1] = v.y;
  dst[2] = SWAPPED ? v.x : v.z;
  dst[3] = src[y * src_stride + x * BYTES + 3];
#endif
}
