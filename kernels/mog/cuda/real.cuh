// SPDX-License-Identifier: LGPL-2.1-or-later
// Arithmetic whose every rounding is written down. A compiler may fuse a product and a sum in one kernel and
// not in the next; the masks of groups and of single frames must agree bit for bit, so products that meet a
// sum are spelt here.
#pragma once

#include "kernels/mog/mog.h"

namespace vigil::mog::cuda {

template <class T>
inline constexpr T least_normal = T(1.17549435082228750797e-38); // of single precision

__device__ __forceinline__ float product(float a, float b) {
  return __fmul_rn(a, b);
}
__device__ __forceinline__ double product(double a, double b) {
  return __dmul_rn(a, b);
}
// a * b + c, rounded once.
__device__ __forceinline__ float fused(float a, float b, float c) {
  return __fmaf_rn(a, b, c);
}
__device__ __forceinline__ double fused(double a, double b, double c) {
  return __fma_rn(a, b, c);
}
// 1/v for v >= least_normal; single precision to within one unit in the last place.
__device__ __forceinline__ float inverse(float v) {
  float r;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(v));
  return r;
}
__device__ __forceinline__ double inverse(double v) {
  return 1. / v;
}
__device__ __forceinline__ float larger(float a, float b) {
  return fmaxf(a, b);
}
__device__ __forceinline__ double larger(double a, double b) {
  return fmax(a, b);
}
__device__ __forceinline__ float smaller(float a, float b) {
  return fminf(a, b);
}
__device__ __forceinline__ double smaller(double a, double b) {
  return fmin(a, b);
}

// Constants in the precision of the arithmetic.
template <class T>
struct Rules {
  T match2, background2, background_ratio, weight_threshold, complexity_prior;
  T initial_variance, initial_weight, min_variance, max_variance, shadow_threshold, shadow2,
      deep_shadow_threshold, deep_shadow2, colourless2;
  T zero[3];
  bool background_by_deviation, detect_shadows;
  std::uint8_t shadow_value;

  explicit Rules(const Constants &c)
      : match2(T(c.match2)), background2(T(c.background2)), background_ratio(T(c.background_ratio)),
        weight_threshold(T(c.weight_threshold)), complexity_prior(T(c.complexity_prior)),
        initial_variance(T(c.initial_variance)), initial_weight(T(c.initial_weight)),
        min_variance(T(c.min_variance)), max_variance(T(c.max_variance)),
        shadow_threshold(T(c.shadow_threshold)), shadow2(T(c.shadow2)),
        deep_shadow_threshold(T(c.deep_shadow_threshold)), deep_shadow2(T(c.deep_shadow2)),
        colourless2(T(c.colourless2)), zero{T(c.zero[0]), T(c.zero[1]), T(c.zero[2])},
        background_by_deviation(c.background_by_deviation), detect_shadows(c.detect_shadows),
        shadow_value(c.shadow_value) {}
};

// Whether three channels have a colour (mog.h).
template <class T>
__device__ __forceinline__ bool has_colour(const T (&x)[3], const Rules<T> &c) {
  T chroma2;
  if (c.zero[1] != c.zero[0]) { // Y U V; samples and zeros may both have an offset
    const T u = x[1] - c.zero[1], v = x[2] - c.zero[2];
    chroma2 = fused(u, u, product(v, v));
  } else {
    const T rg = x[0] - x[1], gb = x[1] - x[2], br = x[2] - x[0];
    chroma2 = product(fused(rg, rg, fused(gb, gb, product(br, br))), T(1. / 3));
  }
  return chroma2 >= c.colourless2;
}

// The walk over components that looks for a shadow (mog.h), one component of it.
enum class Shadow { no, yes, end };
template <class T, int channels>
__device__ __forceinline__ Shadow shadow_of(const T (&x)[channels], const T (&mean)[channels], T variance,
                                            const Rules<T> &c) {
  T n = 0, q = 0;
#pragma unroll
  for (int i = 0; i < channels; i++) {
    const T m = mean[i] - c.zero[i];
    n = fused(x[i] - c.zero[i], m, n);
    q = fused(m, m, q);
  }
  if (q == 0) return Shadow::end;
  if (!(n <= q && n >= product(c.deep_shadow_threshold, q))) return Shadow::no;
  const T t = product(n, inverse(q));
  T d2 = 0;
#pragma unroll
  for (int i = 0; i < channels; i++) {
    const T d = fused(t, mean[i] - c.zero[i], c.zero[i] - x[i]);
    d2 = fused(d, d, d2);
  }
  const T own2 = product(c.shadow2, variance);
  const bool pale = n >= product(c.shadow_threshold, q);
  const T within2 = pale ? own2 : smaller(own2, c.deep_shadow2);
  if (!(d2 < product(within2, product(t, t)))) return Shadow::no;
  if constexpr (channels == 3)
    if (!pale && !has_colour(x, c) && !has_colour(mean, c)) return Shadow::no;
  return Shadow::yes;
}

} // namespace vigil::mog::cuda
