// SPDX-License-Identifier: LGPL-2.1-or-later
// What filters do, in little. ROWS: results of a work-item, one below the other; UNROLL: loops over neighbours are
// unrolled; UNORM: images have floats from 0 to 1; NORMALISED: so have their coordinates.

#ifdef UNROLL
#define REPEATED _Pragma("unroll")
#else
#define REPEATED _Pragma("unroll 1")
#endif

#ifdef ROWS
// The mean of 5x5 pixels, `step` apart, clamped at the edge.
__kernel void from_buffer(__global const uchar4 *restrict in, __global uchar4 *restrict out, int width, int height,
                          int step) {
  const int x = get_global_id(0), y0 = get_global_id(1) * ROWS;
  if (x >= width) return;
  for (int k = 0; k < ROWS && y0 + k < height; k++) {
    float4 sum = 0;
    REPEATED for (int j = -2; j <= 2; j++) {
      const int y = clamp(y0 + k + j * step, 0, height - 1);
      REPEATED for (int i = -2; i <= 2; i++)
        sum += convert_float4(in[y * width + clamp(x + i * step, 0, width - 1)]);
    }
    out[(y0 + k) * width + x] = convert_uchar4_sat(sum * (1 / 25.f));
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
  for (int j = -2; j <= 2; j++)
    for (int i = -2; i <= 2; i++) sum += READ(in, nearest, AT(x + i * step, y + j * step));
  out[y * width + x] = convert_uchar4_sat(sum * (1 / 25.f));
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
