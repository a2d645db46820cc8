// SPDX-License-Identifier: LGPL-2.1-or-later
// How the state of method zivkovic is stored.
//
// A codec has: Real (of the arithmetic), Weight and Code (a component's weight; its means and variance, in one access),
// both as registers and memory hold them, encode and decode for both, whole (the sum of a pixel's weights), and blocks
// (of threads, that one multiprocessor shall hold). encode() of what decode() gave is the same.
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
        float(Codec::decode_weight(weight(s, components, k, spot))), {}, float(shape.variance)};
    for (int n = 0; n < channels; n++) c.mean[n] = float(shape.mean[n]);
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
  static constexpr T whole = 1; // the sum of a pixel's weights
  static constexpr int blocks = sizeof(T) == 4 ? 8 : 1;
  static __device__ __forceinline__ Shape<T, n> decode(const Code &c) {
    Shape<T, n> s;
#pragma unroll
    for (int j = 0; j < n; j++) s.mean[j] = c.v[j];
    s.variance = c.v[n];
    return s;
  }
  static __device__ __forceinline__ Code encode(const Shape<T, n> &s, const Dither &) {
    Code c;
#pragma unroll
    for (int j = 0; j < n; j++) c.v[j] = s.mean[j];
    c.v[n] = s.variance;
    return c;
  }
  static __device__ __forceinline__ T decode_weight(Weight w) {
    return w;
  }
  static __device__ __forceinline__ Weight encode_weight(T w, int) {
    return w;
  }
  static __device__ __forceinline__ int weight_dither(const Dither &) {
    return 0;
  }

  static __device__ void put(const Store &s, int components, int k, const Spot &spot, const Component<n> &c) {
    RealZivkovic::weight(s, components, k, spot) = T(c.weight);
    Code code;
    for (int j = 0; j < n; j++) code.v[j] = T(c.mean[j]);
    code.v[n] = T(c.variance);
    RealZivkovic::code(s, components, k, spot) = code;
  }
};

// 16 bits a value: weights in units of 2^-16 (1 is stored as 1 - 2^-16), means in units of 2^-8, the variance as a half
// precision number. A dither of less than a unit is added before the rest is cut off, so that the expected value is the
// exact one and updates smaller than a unit are not lost. The channels share one dither.
//
// Floats with the fields in place: the unit of 2^15 + mean is 2^-8, so its low half is the mean's code; the unit of
// 2^7 + weight is 2^-16, so its low half is the weight's.
template <int n>
struct CompactZivkovic
    : ZivkovicPlaces<CompactZivkovic<n>, std::uint16_t, std::conditional_t<n == 3, uint2, std::uint32_t>, n> {
  using Real = float;
  using Weight = std::uint16_t;
  using Code = std::conditional_t<n == 3, uint2, std::uint32_t>;
  static constexpr int channels = n;
  static constexpr int blocks = 8;
  static constexpr float whole = 0x1.fffcp-1f; // 1 - 2^-15, so that no rounding gets to 1
  static constexpr float most_weight = 0x1.fffep-1f, mean_base = 0x1p15f, weight_base = 0x1p7f;
  static constexpr float least_variance = 0x1p-14f, greatest_variance = 60000;

  // `half` 0 or 1: the mean in that half of the word.
  static __device__ __forceinline__ float mean_of(std::uint32_t word, int half) {
    return __uint_as_float(__byte_perm(word, 0x47000000u, half ? 0x7632u : 0x7610u)) - mean_base;
  }
  static __device__ __forceinline__ std::uint32_t bits_of_mean(float mean, float dither) {
    return __float_as_uint(__fadd_rd(mean + dither, mean_base));
  }
  static __device__ __forceinline__ float variance_of(std::uint32_t word) { // in the upper half
    return __half2float(__ushort_as_half(static_cast<unsigned short>(word >> 16)));
  }
  static __device__ __forceinline__ std::uint32_t bits_of_variance(float v, std::uint32_t dither13) {
    return __half_as_ushort(__float2half_rz(__uint_as_float(__float_as_uint(v) + dither13)));
  }
  static __device__ __forceinline__ Code code_of(const Shape<float, n> &s, float dither,
                                                 std::uint32_t dither13) {
    const std::uint32_t variance =
        bits_of_variance(smaller(larger(s.variance, least_variance), greatest_variance), dither13);
    const std::uint32_t mean = bits_of_mean(s.mean[0], dither);
    if constexpr (n == 3)
      return make_uint2(__byte_perm(mean, bits_of_mean(s.mean[1], dither), 0x5410),
                        __byte_perm(bits_of_mean(s.mean[2], dither), variance, 0x5410));
    else
      return __byte_perm(mean, variance, 0x5410);
  }

  static __device__ __forceinline__ Shape<float, n> decode(const Code &c) {
    if constexpr (n == 3)
      return {{mean_of(c.x, 0), mean_of(c.x, 1), mean_of(c.y, 0)}, variance_of(c.y)};
    else
      return {{mean_of(c, 0)}, variance_of(c)};
  }
  static __device__ __forceinline__ Code encode(const Shape<float, n> &s, const Dither &d) {
    const float unit =
        __uint_as_float(0x3f800000u | (d.a >> 9 & 0x7f0000u)) - 1; // 0 to 127/128, so that sums are exact
    return code_of(s, product(unit, 0x1p-8f), d.b >> 19);
  }
  static __device__ __forceinline__ float decode_weight(Weight w) {
    return __uint_as_float(0x43000000u | w) - weight_base;
  }
  static __device__ __forceinline__ Weight encode_weight(float w, float dither) {
    return static_cast<Weight>(__float_as_uint(__fadd_rd(w + dither, weight_base)));
  }
  // All weights of a pixel share one dither, 0 <= u < 2^-16.
  static __device__ __forceinline__ float weight_dither(const Dither &d) {
    return __uint_as_float(0x37800000u | (d.b >> 9 & 0x7f0000u)) - 0x1p-16f;
  }

  static __device__ void put(const Store &s, int components, int k, const Spot &spot, const Component<n> &c) {
    Shape<float, n> shape;
    for (int j = 0; j < n; j++) shape.mean[j] = smaller(larger(c.mean[j], 0.f), 255.f);
    shape.variance = c.variance;
    CompactZivkovic::code(s, components, k, spot) = code_of(shape, 0x1p-9f, 1u << 12);
    const float w = smaller(larger(c.weight, 0.f) + 0x1p-17f, most_weight);
    CompactZivkovic::weight(s, components, k, spot) =
        static_cast<Weight>(__float_as_uint(__fadd_rd(w, weight_base)));
  }
};

} // namespace vigil::mog::cuda
