// SPDX-License-Identifier: LGPL-2.1-or-later
// What filters do, in little. ROWS: results of a work-item, one below the other; UNROLL: loops over neighbours are
// unrolled; UNORM: images have floats from 0 to 1; NORMALISED: so have their coordinates; RADIUS of the neighbours, 2.

#ifndef RADIUS
#define RADIUS 2
#endif
#define PART (1.f / ((2 * RADIUS + 1) * (2 * RADIUS + 1)))
#ifdef UNROLL
#define REPEATED _Pragma("unroll")
#else
#define REPEATED _Pragma("unroll 1")
#endif

#ifdef ROWS
// The mean of neighbouring pixels, `step` apart, clamped at the edge.
__kernel void from_buffer(__global const uchar4 *restrict in, __global uchar4 *restrict out, int width, int height,
                          int step) {
  const int x = get_global_id(0), y0 = get_global_id(1) * ROWS;
  if (x >= width) return;
  for (int k = 0; k < ROWS && y0 + k < height; k++) {
    float4 sum = 0;
    REPEATED for (int j = -RADIUS; j <= RADIUS; j++) {
      const int y = clamp(y0 + k + j * step, 0, height - 1);
      REPEATED for (int i = -RADIUS; i <= RADIUS; i++)
        sum += convert_float4(in[y * width + clamp(x + i * step, 0, width - 1)]);
    }
    out[(y0 + k) * width + x] = convert_uchar4_sat(sum * PART);
  }
}
#endif

#ifdef IMAGES
#ifdef NORMALISED
#define COORDINATES CLK_NORMALIZED_COORDS_TRUE
#define AT(x, y) (float2)(((x) + 0.5f) * across, ((y) + 0.5f) * down)
#else
#define COORDINATES CLK_NORMALIZED_COORDS_FALSE
#define AT(x, y) (int2)(x, y)
#endif
#ifdef UNORM
#define READ(image, sampler, at) (255.f * read_imagef(image, sampler, at))
#else
#define READ(image, sampler, at) convert_float4(read_imageui(image, sampler, at))
#endif
__kernel void from_image(__read_only image2d_t in, __global uchar4 *restrict out, int width, int height, int step) {
  const sampler_t nearest = COORDINATES | CLK_FILTER_NEAREST | CLK_ADDRESS_CLAMP_TO_EDGE;
  const int x = get_global_id(0), y = get_global_id(1);
  if (x >= width || y >= height) return;
#ifdef NORMALISED
  const float across = 1.f / width, down = 1.f / height;
#endif
  float4 sum = 0;
  for (int j = -RADIUS; j <= RADIUS; j++)
    for (int i = -RADIUS; i <= RADIUS; i++) sum += READ(in, nearest, AT(x + i * step, y + j * step));
  out[y * width + x] = convert_uchar4_sat(sum * PART);
}
#endif

#ifdef IMAGES
__kernel void into_image(__global const uchar4 *restrict in, __write_only image2d_t out, int width, int height) {
  const int x = get_global_id(0), y = get_global_id(1);
  if (x < width && y < height) write_imageui(out, (int2)(x, y), convert_uint4(in[y * width + x]));
}
#endif

#ifdef PIXELS
// A histogram of 256 bins for each of R, G and B: PIXELS by each work-item, as far apart as a work-group is wide.
#ifdef IMAGES
#define PICTURE __read_only image2d_t in
#define PIXEL(x, y) convert_uchar4(read_imageui(in, by_pixel, (int2)(x, y)))
__constant sampler_t by_pixel = CLK_NORMALIZED_COORDS_FALSE | CLK_FILTER_NEAREST | CLK_ADDRESS_NONE;
#else
#define PICTURE __global const uchar4 *restrict in
#define PIXEL(x, y) in[(y) * width + (x)]
#endif
__kernel void histogram(PICTURE, __global uint *counts, int width, int height) {
  __local uint bins[3 * 256];
  const int item = get_local_id(0), items = get_local_size(0), y = get_global_id(1);
  for (int i = item; i < 3 * 256; i += items) bins[i] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int k = 0; k < PIXELS; k++) {
    const int x = ((int)get_group_id(0) * PIXELS + k) * items + item;
    if (x >= width) break;
    const uchar4 v = PIXEL(x, y);
    atomic_inc(&bins[v.x]);
    atomic_inc(&bins[256 + v.y]);
    atomic_inc(&bins[512 + v.z]);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = item; i < 3 * 256; i += items)
    if (bins[i]) atomic_add(&counts[i], bins[i]);
}
#endif

// 64 steps of what the weights of a bilateral filter take: products, an exponential, a division.
__kernel void weights(__global float *out, float start) {
  float v = start + 0.001f * (float)get_global_id(0), sum = 0.f, total = 0.f;
  for (int i = 0; i < 64; i++) {
    const float d = v - 0.015f * (float)i, w = exp(-0.5f * d * d);
    sum += w * v;
    total += w;
    v = 0.5f * v + 0.25f * sum / total;
  }
  out[get_global_id(0)] = v;
}

// A chain of dependent steps.
__kernel void alone(__global float *out, int at, int turns) {
  float v = (float)get_global_id(0);
  for (int i = 0; i < turns; i++) v = fma(v, 0.999f, 0.5f);
  out[at + get_global_id(0)] = v;
}
