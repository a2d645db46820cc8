// SPDX-License-Identifier: LGPL-2.1-or-later
// One pixel a work-item, neighbours read from an image object, whose cache and whose handling of the edge are the device's
// texture units'. to_image puts a picture into one; the filter does not look at the picture's buffer again, except for alpha.
// MODE ONE: the image's first channel is the sample; else R, G and B, as the pixel has them.
kernel void to_image(global const uchar *in, int in_at, int in_stride, int width, int height, int step,
                     write_only image2d_t image) {
  const int x = get_global_id(0), y = get_global_id(1);
  if (x >= width || y >= height) return;
  global const uchar *row = in + in_at + (long)y * in_stride;
#if MODE == ONE
  write_imageui(image, (int2)(x, y), (uint4)((uint)((global const SAMPLE *)row)[x * step] >> SHIFT));
#else
  write_imageui(image, (int2)(x, y), convert_uint4(vload4(x, row)));
#endif
}

constant sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE | CLK_FILTER_NEAREST | CLK_ADDRESS_CLAMP_TO_EDGE;

inline value_t value_at(read_only image2d_t image, int x, int y) {
#if MODE == ONE
  return (float)read_imageui(image, nearest, (int2)(x, y)).x;
#else
  return convert_float4(read_imageui(image, nearest, (int2)(x, y))).xyz;
#endif
}

kernel void bilateral_image(ARGUMENTS, read_only image2d_t picture, read_only image2d_t by) {
  local float weights[16];
#if QUANTIZED
  if (get_local_id(0) == 0 && get_local_id(1) == 0) vstore16(table, 0, weights);
  barrier(CLK_LOCAL_MEM_FENCE);
#endif
  const int x = get_global_id(0), y = get_global_id(1);
  if (x >= width || y >= height) return;
  const value_t v0 = value_at(picture, x, y);
#if GUIDE
  const guide_t g0 = scaled(value_at(by, x, y), k);
#else
  const guide_t g0 = scaled(v0, k);
#endif
  value_t sum = 0;
  guide_t total = 0;
  for (int dy = -RADIUS; dy <= RADIUS; dy++)
    for (int dx = -RADIUS; dx <= RADIUS; dx++) {
      const value_t v = value_at(picture, x + dx, y + dy);
#if GUIDE
      const guide_t d = scaled(value_at(by, x + dx, y + dy), k) - g0;
#else
      const guide_t d = scaled(v, k) - g0;
#endif
      const guide_t w = weight_of(d, SPATIAL(dx, dy), bins, weights);
      sum += w * (v - v0); // small numbers: less is lost to rounding
      total += w;
    }
  write_value(out + out_at + (long)y * out_stride, x, step, v0 + DIVIDE(sum, total), in + in_at + (long)y * in_stride);
}
