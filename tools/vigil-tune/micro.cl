// SPDX-License-Identifier: LGPL-2.1-or-later
// What the microbenchmarks run. TYPE: what a work-item loads and stores at once. FUNCTION: what it computes.

__kernel void nothing(__global uint *out) {
  if (get_global_id(0) == 0xffffffff) out[0] = 0;
}

#ifdef TYPE
__kernel void copy(__global const TYPE *restrict in, __global TYPE *restrict out, uint count) {
  for (uint i = get_global_id(0); i < count; i += get_global_size(0)) out[i] = in[i];
}
#endif

#ifdef FUNCTION
// 4 independent chains of 64 calls.
__kernel void compute(__global float *out, float start) {
  float4 x = start + 0.001f * (float)get_global_id(0) + (float4)(0.f, 0.1f, 0.2f, 0.3f);
  for (int i = 0; i < 64; i++) x = FUNCTION(x);
  out[get_global_id(0)] = x.x + x.y + x.z + x.w;
}
#endif

// The mean of 5x5 pixels, from a buffer or from an image, each clamped at the edge.
__kernel void from_buffer(__global const uchar4 *restrict in, __global uchar4 *restrict out, int width, int height) {
  const int x = get_global_id(0), y = get_global_id(1);
  if (x >= width || y >= height) return;
  float4 sum = 0;
  for (int j = -2; j <= 2; j++)
    for (int i = -2; i <= 2; i++)
      sum += convert_float4(in[clamp(y + j, 0, height - 1) * width + clamp(x + i, 0, width - 1)]);
  out[y * width + x] = convert_uchar4_sat(sum * (1 / 25.f));
}
#ifdef IMAGES
__kernel void from_image(__read_only image2d_t in, __global uchar4 *restrict out, int width, int height) {
  const sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE | CLK_FILTER_NEAREST | CLK_ADDRESS_CLAMP_TO_EDGE;
  const int x = get_global_id(0), y = get_global_id(1);
  if (x >= width || y >= height) return;
  float4 sum = 0;
  for (int j = -2; j <= 2; j++)
    for (int i = -2; i <= 2; i++) sum += convert_float4(read_imageui(in, nearest, (int2)(x + i, y + j)));
  out[y * width + x] = convert_uchar4_sat(sum * (1 / 25.f));
}
#endif
