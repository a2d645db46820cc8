// SPDX-License-Identifier: LGPL-2.1-or-later
// One frame's work on a band of the model's rows, and where pixels, samples and rates are in it. Comes before
// the file of a method, which defines learn() and so on; main() is in apply.comp.
//
// A band of the state is words, plane after plane, with one word of each plane for a pixel:
//   zivkovic, single    K weights; the number of components in use; for each component its means, variance
//   zivkovic, compact   K weights and the number, 16 bits each; for each component its means and variance, 16
//                       bits each
//   mog, single         K weights, K means, K variances
//   mog, compact        K components of 32 bits

layout(local_size_x = 32, local_size_y = 4) in;

layout(std140, binding = 0) uniform Job {
  int format, width, height;
  uint offset0, offset1, offset2;
  int stride0, stride1, stride2;
  uint mask_offset;
  int mask_stride;
  uint shift_offset;
  int has_shift;
  uint map_offset;
  int map_shift, map_columns, has_map;
  int first_row, rows; // of the band
  uint frame;          // its number
  float rate0, rate1, rate2, rate3;
  float match2, background2, background_ratio, weight_threshold, complexity_prior;
  float initial_variance, initial_weight, min_variance, max_variance;
  float shadow_threshold, shadow2, deep_shadow_threshold, deep_shadow2, colourless2;
  float zero0, zero1, zero2;
  int background_by_deviation, detect_shadows;
  uint shadow_value;
};
layout(std430, binding = 0) buffer State { uint state[]; };
layout(std430, binding = 1) readonly buffer Frame0 { uint frame0[]; };
layout(std430, binding = 2) readonly buffer Frame1 { uint frame1[]; };
layout(std430, binding = 3) readonly buffer Frame2 { uint frame2[]; };
layout(std430, binding = 4) buffer Mask { uint mask[]; };
layout(std430, binding = 5) readonly buffer KnownShift { uint known_shift[]; };
layout(std430, binding = 6) readonly buffer Rates { uint rates[]; };

const float least_normal = 1.17549435e-38;

// The words of the pixel that is worked on.
uint pixel;
#define WORD_OF(plane) state[uint(plane) * uint(rows * width) + pixel]
#define FLOAT_OF(plane) uintBitsToFloat(WORD_OF(plane))
#define PUT_FLOAT(plane, value) WORD_OF(plane) = floatBitsToUint(value)

// A pseudo-random number for every pixel and frame, evenly spread over both: multiples of irrational numbers
// modulo 1. `x` for weights, `y` for means and variances of method mog.
uvec2 dither_of(uint at, uint number) {
  return uvec2(at * 3242174889u + number * 2654435769u, at * 2447445413u + number * 1640531527u);
}

float rate_at(int x, int y) {
  if (has_map == 0) return rate0;
  uint kind = BYTE(rates, map_offset + uint((y >> map_shift) * map_columns + (x >> map_shift))) & 3u;
  return kind == 0u ? rate0 : kind == 1u ? rate1 : kind == 2u ? rate2 : rate3;
}

// The samples of pixel (x, y) of the frame.
vec3 samples_at(int x, int y) {
#if CHANNELS == 1
  return vec3(float(LUMA(frame0, format, offset0, stride0, x, y)), 0.0, 0.0);
#else
  if (format == RGBA || format == BGRA) {
    uint v = WORD(frame0, AT(offset0, stride0, 4 * x, y));
    return vec3(float(v & 255u), float(v >> 8u & 255u), float(v >> 16u & 255u));
  }
  uint first = BYTE(frame0, AT(offset0, stride0, x, y));
  uint second, third;
  if (format == NV12) {
    second = BYTE(frame1, AT(offset1, stride1, x >> 1 << 1, y >> 1));
    third = BYTE(frame1, AT(offset1, stride1, x | 1, y >> 1));
  } else {
    second = BYTE(frame1, AT(offset1, stride1, x >> 1, y >> 1));
    third = BYTE(frame2, AT(offset2, stride2, x >> 1, y >> 1));
  }
  return vec3(float(first), float(second), float(third));
#endif
}

// Shadows (mog.h): the judgement of one component.
const int shadow_no = 0, shadow_yes = 1, shadow_end = 2;
bool has_colour(vec3 x) {
  float chroma2;
  if (zero1 != zero0) {
    vec2 c = x.yz - vec2(zero1, zero2);
    chroma2 = dot(c, c);
  } else {
    vec3 d = vec3(x.x - x.y, x.y - x.z, x.z - x.x);
    chroma2 = dot(d, d) * (1.0 / 3.0);
  }
  return chroma2 >= colourless2;
}
int shadow_of(vec3 x, vec3 mean, float variance) {
  vec3 zero = vec3(zero0, zero1, zero2);
#if CHANNELS == 1
  x.yz = vec2(0.0);
  mean.yz = vec2(0.0);
  zero.yz = vec2(0.0);
#endif
  vec3 m = mean - zero, s = x - zero;
  float n = dot(s, m), q = dot(m, m);
  if (q == 0.0) return shadow_end;
  if (!(n <= q && n >= deep_shadow_threshold * q)) return shadow_no;
  float t = n / q;
  vec3 d = t * m - s;
  float own2 = shadow2 * variance;
  bool pale = n >= shadow_threshold * q;
  float within2 = pale ? own2 : min(own2, deep_shadow2);
  if (!(dot(d, d) < within2 * (t * t))) return shadow_no;
#if CHANNELS == 3
  if (!pale && !has_colour(x) && !has_colour(mean)) return shadow_no;
#endif
  return shadow_yes;
}
