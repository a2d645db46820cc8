// SPDX-License-Identifier: LGPL-2.1-or-later
// How the state of method zivkovic is stored.
//
// A codec has: Real (of the arithmetic); Weight and Code (a component's weight; its means and variance, in
// one access) as memory holds them; offset (added to samples and means); whole (the sum of a pixel's
// weights); blocks (of threads, that one multiprocessor shall hold); and
//   sample(bytes, c)                     channel c of a pixel
//   decode(code)                         means and variance
//   moved(shape, r, difference, dither)  the code after every mean has gone r of the difference further
//   held(weight), stored(held)           what registers hold of a weight, and back
//   decode_weight(), encode_weight(w, scale, dither)  its value, and what registers hold for w * scale
//   storable(constants)                  the constants, with values that can be stored
#pragma once

#include "kernels/mog/cuda/mog_codec.cuh"

#include <cuda_fp16.h>

namespace vigil::mog::cuda {

template <class T, int n>
struct Shape {
  T mean[n], variance;
};

// What codecs of this method share: where a value lies.
template <class Codec, class Weight, class Code, int channels>
struct ZivkovicPlaces {
  static __device__ __forceinline__ Weight &weight(const Store &s, int components, int k, const Spot &spot) {
    return spot.at<Weight>(s.weights, components, k);
  }
  static __device__ __forceinline__ Code &code(const Store &s, int components, int k, const Spot &spot) {
    return spot.at<Code>(s.gaussians, components, k);
  }
  static __device__ Component<channels> component(const Store &s, int components, int k, const Spot &spot) {
    if (k >= spot.at<std::uint8_t>(s.active, 1, 0)) return {-1};
    const auto shape = Codec::decode(code(s, components, k, spot));
    Component<channels> c{
        float(Codec::decode_weight(Codec::held(weight(s, components, k, spot)))), {}, float(shape.variance)};
    for (int n = 0; n < channels; n++) c.mean[n] = float(shape.mean[n] - Codec::offset);
    return c;
  }
};

// Means, then the variance; for double precision and three channels two vectors.
template <class T, int n>
struct alignas(n == 3 ? 16 : 2 * sizeof(T)) RealCode {
  T v[n + 1];
};

template <class T, int n>
struct RealZivkovic : ZivkovicPlaces<RealZivkovic<T, n>, T, RealCode<T, n>, n> {
  using Real = T;
  using Weight = T;
  using Code = RealCode<T, n>;
  static constexpr int channels = n;
  static constexpr T offset = 0, whole = 1;
  static constexpr int blocks = sizeof(T) == 4 ? 8 : 1;
  static Constants storable(const Constants &c) { return c; }
  static __device__ __forceinline__ T sample(std::uint32_t bytes, int c) { return value_of(bytes, c, T(0)); }
  static __device__ __forceinline__ Shape<T, n> decode(const Code &c) {
    Shape<T, n> s;
#pragma unroll
    for (int j = 0; j < n; j++) s.mean[j] = c.v[j];
    s.variance = c.v[n];
    return s;
  }
  static __device__ __forceinline__ Code moved(const Shape<T, n> &s, T r, const T (&difference)[n],
                                               const Dither &) {
    Code c;
#pragma unroll
    for (int j = 0; j < n; j++) c.v[j] = fused(r, difference[j], s.mean[j]);
    c.v[n] = s.variance;
    return c;
  }
  static __device__ __forceinline__ T held(Weight w) {
    return w;
  }
  static __device__ __forceinline__ Weight stored(T held) {
    return held;
  }
  static __device__ __forceinline__ T decode_weight(T held) {
    return held;
  }
  static __device__ __forceinline__ T encode_weight(T w, T scale, const Dither &) {
    return product(w, scale);
  }

  static __device__ void put(const Store &s, int components, int k, const Spot &spot, const Component<n> &c) {
    RealZivkovic::weight(s, components, k, spot) = T(c.weight);
    Code code;
    for (int j = 0; j < n; j++) code.v[j] = T(c.mean[j]);
    code.v[n] = T(c.variance);
    RealZivkovic::code(s, components, k, spot) = code;
  }
};

// 16 bits a value: weights in units of 2^-16, means in units of 2^-8, the variance as a half precision
// number. A dither of less than a unit is added before the rest is cut off, so that the expected value is the
// exact one and updates smaller than a unit are not lost. All values of a pixel share one dither.
//
// Floats with the fields in place: the unit of 2^15 + mean is 2^-8, so its low half is the mean's code (and
// samples and means carry 2^15); the unit of 2^7 + weight is 2^-16, so its low half is the weight's.
template <int n>
struct CompactZivkovic
    : ZivkovicPlaces<CompactZivkovic<n>, std::uint16_t, std::conditional_t<n == 3, uint2, std::uint32_t>, n> {
  using Real = float;
  using Weight = std::uint16_t;
  using Code = std::conditional_t<n == 3, uint2, std::uint32_t>;
  static constexpr int channels = n;
  static constexpr int blocks = 10;
  static constexpr float offset = 0x1p15f, weight_base = 0x1p7f;
  static constexpr float mean_unit = 0x1p-8f, weight_unit = 0x1p-16f;
  static constexpr float whole = 1 - 2 * weight_unit; // so that no rounding gets to 1
  static constexpr float least_variance = 0x1p-14f, greatest_variance = 60000;

  static Constants storable(Constants c) {
    for (double *v : {&c.min_variance, &c.max_variance, &c.initial_variance})
      *v = std::clamp<double>(*v, least_variance, greatest_variance);
    for (double &z : c.zero) z += offset;
    return c;
  }
  static __device__ __forceinline__ float sample(std::uint32_t bytes, int c) {
    return __uint_as_float(__byte_perm(bytes, 0x47000000u, 0x7404u + 16 * c)); // 2^15 + byte c
  }

  // `half` 0 or 1: the mean in that half of the word.
  static __device__ __forceinline__ float mean_of(std::uint32_t word, int half) {
    return __uint_as_float(__byte_perm(word, 0x47000000u, half ? 0x7632u : 0x7610u));
  }
  static __device__ __forceinline__ float variance_of(std::uint32_t word) { // in the upper half
    return __half2float(__ushort_as_half(static_cast<unsigned short>(word >> 16)));
  }
  static __device__ __forceinline__ std::uint32_t bits_of_variance(float v, std::uint32_t dither13) {
    return __half_as_ushort(__float2half_rz(__uint_as_float(__float_as_uint(v) + dither13)));
  }
  static __device__ __forceinline__ Code packed(const std::uint32_t (&mean)[n], std::uint32_t variance) {
    if constexpr (n == 3)
      return make_uint2(__byte_perm(mean[0], mean[1], 0x5410), __byte_perm(mean[2], variance, 0x5410));
    else
      return __byte_perm(mean[0], variance, 0x5410);
  }
  static __device__ __forceinline__ Shape<float, n> decode(const Code &c) {
    if constexpr (n == 3)
      return {{mean_of(c.x, 0), mean_of(c.x, 1), mean_of(c.y, 0)}, variance_of(c.y)};
    else
      return {{mean_of(c, 0)}, variance_of(c)};
  }

  // One unit to almost two, in steps of 1/128 of it, so that sums are exact; who adds it takes one unit away.
  static __device__ __forceinline__ float more_than(float unit, const Dither &d) {
    return __uint_as_float(masked_with(d.a >> 9, 0x7f0000u, __float_as_uint(unit)));
  }
  static __device__ __forceinline__ Code moved(const Shape<float, n> &s, float r,
                                               const float (&difference)[n], const Dither &d) {
    std::uint32_t mean[n];
#pragma unroll
    for (int j = 0; j < n; j++)
      mean[j] =
          __float_as_uint(__fadd_rd(s.mean[j], fused(r, difference[j], more_than(mean_unit, d) - mean_unit)));
    return packed(mean, bits_of_variance(s.variance, d.a >> 19));
  }

  // Registers hold 2^7 + weight.
  static __device__ __forceinline__ float held(Weight w) {
    return __uint_as_float(0x43000000u | w);
  }
  static __device__ __forceinline__ Weight stored(float held) {
    return static_cast<Weight>(__float_as_uint(held));
  }
  static __device__ __forceinline__ float decode_weight(float held) {
    return held - weight_base;
  }
  static __device__ __forceinline__ float encode_weight(float w, float scale, const Dither &d) {
    return __fadd_rd(fused(w, scale, more_than(weight_unit, d)), weight_base - weight_unit);
  }

  static __device__ void put(const Store &s, int components, int k, const Spot &spot, const Component<n> &c) {
    std::uint32_t mean[n];
    for (int j = 0; j < n; j++)
      mean[j] = __float_as_uint(offset + smaller(larger(c.mean[j], 0.f), 255.f)); // the nearest
    const float variance = smaller(larger(c.variance, least_variance), greatest_variance);
    CompactZivkovic::code(s, components, k, spot) = packed(mean, bits_of_variance(variance, 1u << 12));
    const float w = smaller(larger(c.weight, 0.f), 1 - weight_unit);
    CompactZivkovic::weight(s, components, k, spot) = stored(weight_base + w);
  }
};

} // namespace vigil::mog::cuda
