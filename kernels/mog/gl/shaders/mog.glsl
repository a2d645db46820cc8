// SPDX-License-Identifier: LGPL-2.1-or-later
// Method mog (mog.h), single and compact.

struct Gaussian {
  float weight, mean, variance;
};

#ifdef COMPACT
// 32 bits a component: weight, 10 bits, in units of 1/1023; mean, 11 bits, in units of 1/8; variance, 11 bits, a
// number with 4 bits of exponent and 7 of mantissa, 0.25 to 16384. A dither of less than a unit is added before
// the rest is cut off. Weights of a pixel sum to `whole`, and means and samples carry `offset`.
const float whole = 1023.0 / 1024.0 * (1.0 - 1.0 / 65536.0), offset = 512.0;
const uint weight_mask = 0xffc00000u, mean_mask = 0x003ff800u, variance_mask = 0x7ffu;
const uint least_bits = 0x3e800000u; // of the least variance

Gaussian load(int k) {
  uint c = WORD_OF(k);
  return Gaussian(uintBitsToFloat(0x3f800000u | (c & weight_mask) >> 9u) - 1.0,
                  uintBitsToFloat(0x44000000u | (c & mean_mask)),
                  uintBitsToFloat(((c & variance_mask) << 16u) + least_bits));
}
void store(int k, Gaussian g, float scale, bool moved, uvec2 d) {
  uint w = (floatBitsToUint(g.weight * scale + 1.0) << 9u) + (d.x >> 10u);
  uint m = floatBitsToUint(g.mean) + (d.y >> 21u);
  uint v = (floatBitsToUint(min(g.variance, 16000.0)) + ((d.y >> 5u & 0xffffu) - least_bits)) >> 16u;
  WORD_OF(k) = (((w & weight_mask) | (m & ~weight_mask)) & ~variance_mask) | v;
}
#else
const float whole = 1.0, offset = 0.0;
Gaussian load(int k) {
  return Gaussian(FLOAT_OF(k), FLOAT_OF(K + k), FLOAT_OF(2 * K + k));
}
void store(int k, Gaussian g, float scale, bool moved, uvec2 d) {
  PUT_FLOAT(k, g.weight * scale);
  if (!moved) return;
  PUT_FLOAT(K + k, g.mean);
  PUT_FLOAT(2 * K + k, g.variance);
}
#endif

uint learn(vec3 sampled, float a, uvec2 dither) {
  float x = sampled.x + offset;
  Gaussian g[K];
  bool moved[K];
  // A little less than `gain` keeps every r below 1, whatever a division rounds, and so means within 0 to 255.
  float keep = 1.0 - a, gain = a * whole, less = gain * (1.0 - 1.0 / 2097152.0);
  bool matched = false, background = false;
  for (int k = 0; k < K; k++) {
    g[k] = load(k);
    float d = x - g[k].mean, d2 = d * d, v = g[k].variance;
    moved[k] = g[k].weight >= least_normal && d2 < match2 * v;
    g[k].weight = keep * g[k].weight;
    if (!moved[k]) continue;
    g[k].weight += gain;
    float r = g[k].weight > 0.0 ? less / g[k].weight : 0.0;
    g[k].mean += r * d;
    g[k].variance = max(v + r * (d2 - v), min_variance);
    matched = true;
    background = background || g[k].weight >= weight_threshold;
  }
  if (!matched && a > 0.0) { // a new one replaces the lightest, the first of equals
    int lightest = 0;
    float least = g[0].weight;
    for (int k = 1; k < K; k++)
      if (g[k].weight < least) {
        least = g[k].weight;
        lightest = k;
      }
    g[lightest] = Gaussian(initial_weight, x, initial_variance);
    moved[lightest] = true;
  }
  float sum = 0.0;
  for (int k = 0; k < K; k++) sum += g[k].weight;
  float scale = whole / max(sum, least_normal);
  uint label = background ? 0u : 255u;
  if (!background && detect_shadows != 0)
    for (int k = 0; k < K; k++) {
      if (g[k].weight * scale < weight_threshold) continue;
      int shadow = shadow_of(vec3(x - offset, 0.0, 0.0), vec3(g[k].mean - offset, 0.0, 0.0), g[k].variance);
      if (shadow == shadow_no) continue;
      if (shadow == shadow_yes) label = shadow_value;
      break;
    }
  for (int k = 0; k < K; k++) store(k, g[k], scale, moved[k], dither);
  return label;
}
