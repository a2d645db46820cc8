// SPDX-License-Identifier: LGPL-2.1-or-later
// How the state of method zivkovic is stored.
//
// A codec has: Real (of the arithmetic), Weight and Code (a component's weight; its means and variance, in one access),
// both as registers and memory hold them, and encode and decode for both. encode() of what decode() gave is the same.
#pragma once

#include "kernels/mog/cuda/mog_codec.cuh"

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

template <class T, int n>
struct alignas(n == 3 ? 16 : 2 * sizeof(T)) RealShape : Shape<T, n> {};

template <class T, int n>
struct RealZivkovic : ZivkovicPlaces<RealZivkovic<T, n>, T, RealShape<T, n>, n> {
  using Real = T;
  using Weight = T;
  using Code = RealShape<T, n>;
  static constexpr int channels = n;
  static __device__ __forceinline__ Shape<T, n> decode(const Code &c) { return c; }
  static __device__ __forceinline__ Code encode(const Shape<T, n> &s, const Dither &) { return {s}; }
  static __device__ __forceinline__ T decode_weight(Weight w) { return w; }
  static __device__ __forceinline__ Weight encode_weight(T w, int, const Dither &) { return w; }

  static __device__ void put(const Store &s, int components, int k, const Spot &spot, const Component<n> &c) {
    RealZivkovic::weight(s, components, k, spot) = T(c.weight);
    Code code;
    for (int j = 0; j < n; j++) code.mean[j] = T(c.mean[j]);
    code.variance = T(c.variance);
    RealZivkovic::code(s, components, k, spot) = code;
  }
};

// 16 bits a value: weights in units of 2^-16 (1 is stored as 1 - 2^-16), means in units of 2^-8, the variance as a
// number with 5 bits of exponent and 11 of mantissa, 2^-12 to 2^20. A dither of less than a unit is added before the
// rest is cut off, so that the expected value is the exact one and updates smaller than a unit are not lost.
template <int n>
struct CompactZivkovic
    : ZivkovicPlaces<CompactZivkovic<n>, std::uint16_t, std::conditional_t<n == 3, uint2, std::uint32_t>, n> {
  using Real = float;
  using Weight = std::uint16_t;
  using Code = std::conditional_t<n == 3, uint2, std::uint32_t>;
  static constexpr int channels = n;
  static constexpr float least_variance = 0x1p-12f, greatest_variance = 0x1.ffp19f,
                         most_weight = 0x1.fffep-1f;
  static constexpr std::uint32_t least_bits = 0x39800000; // of least_variance

  // A mean's 16 bits are those on top of the mantissa of 256 + mean.
  static __device__ __forceinline__ float mean_of(std::uint32_t bits) {
    return __uint_as_float(0x43800000u | bits << 7) - 256.f;
  }
  static __device__ __forceinline__ std::uint32_t bits_of_mean(float mean, std::uint32_t dither7) {
    return ((__float_as_uint(mean + 256.f) & 0x7fffffu) + dither7) >> 7;
  }
  static __device__ __forceinline__ float variance_of(std::uint32_t bits) {
    return __uint_as_float((bits << 12) + least_bits);
  }
  static __device__ __forceinline__ std::uint32_t bits_of_variance(float v, std::uint32_t dither12) {
    return (__float_as_uint(smaller(larger(v, least_variance), greatest_variance)) - least_bits + dither12) >>
           12;
  }

  static __device__ __forceinline__ Shape<float, n> decode(const Code &c) {
    if constexpr (n == 3)
      return {{mean_of(c.x & 0xffffu), mean_of(c.x >> 16), mean_of(c.y & 0xffffu)}, variance_of(c.y >> 16)};
    else
      return {{mean_of(c & 0xffffu)}, variance_of(c >> 16)};
  }
  static __device__ __forceinline__ Code encode(const Shape<float, n> &s, const Dither &d) {
    const std::uint32_t first = bits_of_mean(s.mean[0], d.a >> 25),
                        variance = bits_of_variance(s.variance, d.b >> 20);
    if constexpr (n == 3)
      return make_uint2(first | bits_of_mean(s.mean[1], d.a >> 18 & 127u) << 16,
                        bits_of_mean(s.mean[2], d.a >> 11 & 127u) | variance << 16);
    else
      return first | variance << 16;
  }
  // A weight's bits are those on top of the mantissa of 1 + weight.
  static __device__ __forceinline__ float decode_weight(Weight w) {
    return __uint_as_float(0x3f800000u | std::uint32_t{w} << 7) - 1.f;
  }
  static __device__ __forceinline__ Weight encode_weight(float w, int k, const Dither &d) {
    const std::uint32_t bits = __float_as_uint(smaller(w, most_weight) + 1.f) & 0x7fffffu;
    return static_cast<Weight>((bits + (d.b >> (4 * k) & 127u)) >> 7);
  }

  static __device__ void put(const Store &s, int components, int k, const Spot &spot, const Component<n> &c) {
    const auto mean = [&](int j) { return bits_of_mean(smaller(larger(c.mean[j], 0.f), 255.f), 64); };
    const std::uint32_t variance = bits_of_variance(c.variance, 1u << 11);
    Code &code = CompactZivkovic::code(s, components, k, spot);
    if constexpr (n == 3)
      code = make_uint2(mean(0) | mean(1) << 16, mean(2) | variance << 16);
    else
      code = mean(0) | variance << 16;
    CompactZivkovic::weight(s, components, k, spot) = static_cast<Weight>(
        ((__float_as_uint(smaller(larger(c.weight, 0.f), most_weight) + 1.f) & 0x7fffffu) + 64) >> 7);
  }
};

} // namespace vigil::mog::cuda
