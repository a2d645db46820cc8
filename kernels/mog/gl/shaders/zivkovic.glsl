// SPDX-License-Identifier: LGPL-2.1-or-later
// Method zivkovic (mog.h), single and compact. Only the owner of a sample gets another mean and variance.

struct Shape {
  vec3 mean;
  float variance;
};

#ifdef COMPACT
// 16 bits a value, as the CPU has them (cpu/codec.h): weights in units of 2^-16, means in units of 2^-8, the
// variance a positive number with 5 bits of exponent and 11 of mantissa. A dither of less than a unit is added
// before the rest is cut off.
#define WEIGHT_WORDS (K / 2 + 1)
#if CHANNELS == 1
#define SHAPE_WORDS 1
#else
#define SHAPE_WORDS 2
#endif
const uint variance_bias = 115u << 23u; // the exponent of the least variance
// 1/256, 3/256 .. 255/256 of a unit.
float units_of(uvec2 dither) { return float(dither.x >> 24u | 1u) * (1.0 / 256.0); }

uint held[WEIGHT_WORDS];
uint half_at(int i) { return held[i >> 1] >> uint(16 * (i & 1)) & 0xffffu; }
void put_half(int i, uint v) {
  uint shift = uint(16 * (i & 1));
  held[i >> 1] = (held[i >> 1] & ~(0xffffu << shift)) | v << shift;
}
int load_weights(out float w[K]) {
  for (int i = 0; i < WEIGHT_WORDS; i++) held[i] = WORD_OF(i);
  for (int k = 0; k < K; k++) w[k] = float(half_at(k)) * (1.0 / 65536.0);
  return int(half_at(K));
}
void keep_weight(int k, float w, uvec2 dither) {
  put_half(k, uint(min(w * 65536.0 + units_of(dither), 65535.0)));
}
void store_weights(int in_use) {
  put_half(K, uint(in_use));
  for (int i = 0; i < WEIGHT_WORDS; i++) WORD_OF(i) = held[i];
}
float variance_of(uint h) { return uintBitsToFloat((h << 12u) + variance_bias); }
Shape load_shape(int k) {
  Shape s;
  uint a = WORD_OF(WEIGHT_WORDS + SHAPE_WORDS * k);
#if CHANNELS == 1
  s.mean = vec3(float(a & 0xffffu) * (1.0 / 256.0), 0.0, 0.0);
  s.variance = variance_of(a >> 16u);
#else
  uint b = WORD_OF(WEIGHT_WORDS + SHAPE_WORDS * k + 1);
  s.mean = vec3(float(a & 0xffffu), float(a >> 16u), float(b & 0xffffu)) * (1.0 / 256.0);
  s.variance = variance_of(b >> 16u);
#endif
  return s;
}
void store_shape(int k, Shape s, uvec2 dither) {
  uvec3 mean = uvec3(clamp(s.mean * 256.0 + units_of(dither), 0.0, 65535.0));
  uint variance = min((floatBitsToUint(s.variance) + (dither.x >> 20u) - variance_bias) >> 12u, 65535u);
  int plane = WEIGHT_WORDS + SHAPE_WORDS * k;
#if CHANNELS == 1
  WORD_OF(plane) = mean.x | variance << 16u;
#else
  WORD_OF(plane) = mean.x | mean.y << 16u;
  WORD_OF(plane + 1) = mean.z | variance << 16u;
#endif
}
#else
#define WEIGHT_WORDS (K + 1)
#define SHAPE_WORDS (CHANNELS + 1)

float held[K];
int load_weights(out float w[K]) {
  for (int k = 0; k < K; k++) w[k] = FLOAT_OF(k);
  return int(WORD_OF(K));
}
void keep_weight(int k, float w, uvec2 dither) { held[k] = w; }
void store_weights(int in_use) {
  for (int k = 0; k < K; k++) PUT_FLOAT(k, held[k]);
  WORD_OF(K) = uint(in_use);
}
Shape load_shape(int k) {
  int plane = WEIGHT_WORDS + SHAPE_WORDS * k;
  Shape s;
  s.mean = vec3(0.0);
  for (int c = 0; c < CHANNELS; c++) s.mean[c] = FLOAT_OF(plane + c);
  s.variance = FLOAT_OF(plane + CHANNELS);
  return s;
}
void store_shape(int k, Shape s, uvec2 dither) {
  int plane = WEIGHT_WORDS + SHAPE_WORDS * k;
  for (int c = 0; c < CHANNELS; c++) PUT_FLOAT(plane + c, s.mean[c]);
  PUT_FLOAT(plane + CHANNELS, s.variance);
}
#endif

void copy_shape(int to, int from) {
  for (int i = 0; i < SHAPE_WORDS; i++)
    WORD_OF(WEIGHT_WORDS + SHAPE_WORDS * to + i) = WORD_OF(WEIGHT_WORDS + SHAPE_WORDS * from + i);
}

// Component `at` goes up past every predecessor whose weight is not greater than `by`, and these go down;
// returns where it is then. Its own shape is stored afterwards.
int move_up(inout float w[K], int at, float by) {
  for (int k = K - 1; k > 0; k--)
    if (k == at && by >= w[k - 1]) {
      float own = w[k];
      w[k] = w[k - 1];
      w[k - 1] = own;
      copy_shape(k, k - 1);
      at = k - 1;
    }
  return at;
}

float distance2(vec3 d) {
#if CHANNELS == 1
  return d.x * d.x;
#else
  return dot(d, d);
#endif
}

// By weight over deviation. Squares are compared: w / sqrt(v) > w' / sqrt(v') where w^2 v' > w'^2 v.
bool is_background(vec3 x, float weight[K], int in_use) {
  float w[K], v[K];
  bool near[K];
  for (int k = 0; k < K; k++) {
    w[k] = 0.0;
    v[k] = 1.0;
    near[k] = false;
    if (k >= in_use) continue;
    Shape g = load_shape(k);
    w[k] = weight[k];
    v[k] = g.variance;
    near[k] = distance2(x - g.mean) < background2 * g.variance;
  }
  bool background = false;
  for (int k = 0; k < K; k++) {
    float before = 0.0;
    for (int j = 0; j < K; j++) {
      if (j == k) continue;
      float there = w[j] * w[j] * v[k], here = w[k] * w[k] * v[j];
      if (j < k ? there >= here : there > here) before += w[j];
    }
    background = background || (near[k] && before < background_ratio);
  }
  return background;
}

// Learns a sample; its label.
uint learn(vec3 x, float a, uvec2 dither) {
  float weight[K], w[K];
  int in_use = load_weights(weight);
  float keep = 1.0 - a, prune = a * complexity_prior;
  bool background = background_by_deviation != 0 && is_background(x, weight, in_use);
  float ratio = background_by_deviation != 0 ? 0.0 : background_ratio; // of what the walk decides
  int owner = -1;
  float total = 0.0, owner_weight = 0.0, owner_d2 = 0.0;
  Shape g;
  vec3 difference = vec3(0.0);
  for (int k = 0; k < K; k++) {
    w[k] = 0.0;
    if (k >= in_use) continue; // the number falls within the loop, as in reference.cpp
    w[k] = keep * weight[k] - prune;
    if (owner < 0) {
      Shape s = load_shape(k);
      vec3 d = x - s.mean;
      float d2 = distance2(d);
      background = background || (total < ratio && d2 < background2 * s.variance);
      if (d2 < match2 * s.variance) {
        w[k] += a;
        owner = k;
        owner_weight = w[k];
        owner_d2 = d2;
        g = s;
        difference = d;
      }
    }
    if (w[k] < prune) { // it becomes 0, and the number falls; its place stays, the lightest leaves
      w[k] = 0.0;
      in_use--;
    }
    total += w[k];
  }
  int at = owner;
  if (owner > 0) at = move_up(w, owner, owner_weight);
  float scale = 1.0 / max(total, least_normal);
  if (owner >= 0) {
    float r = min(a / max(owner_weight, least_normal), 1.0);
    g.mean = r * difference + g.mean;
    g.variance = clamp(g.variance + r * (owner_d2 - g.variance), min_variance, max_variance);
  } else if (a > 0.0) {
    at = in_use < K ? in_use : K - 1;
    in_use = at + 1;
    g.mean = x;
    g.variance = initial_variance;
    float own = at == 0 ? 1.0 : a;
    for (int k = 0; k < K; k++) w[k] = k == at ? own : w[k] * scale * (k < at ? keep : 1.0);
    scale = 1.0;
    at = move_up(w, at, own);
  }
  if (at >= 0) store_shape(at, g, dither);
  for (int k = 0; k < K; k++) {
    w[k] *= scale;
    keep_weight(k, w[k], dither);
  }
  store_weights(in_use);
  if (background) return 0u;
  if (detect_shadows == 0) return 255u;
  total = 0.0;
  for (int k = 0; k < in_use; k++) {
    Shape s = load_shape(k);
    int shadow = shadow_of(x, s.mean, s.variance);
    if (shadow == shadow_yes) return shadow_value;
    if (shadow == shadow_end) break;
    total += w[k];
    if (total > background_ratio) break;
  }
  return 255u;
}
