// SPDX-License-Identifier: LGPL-2.1-or-later
// How the state of method mog is stored.
//
// A codec has: Real (of the arithmetic), Code (one component as registers hold it), vector (pixels a thread),
// whole (the sum of a pixel's weights) and offset (added to samples and means); load and store for `vector`
// neighbouring pixels; decode, and encode, which multiplies the weight by a factor; blocks(K), of threads,
// that one multiprocessor shall hold, which bounds the registers. encode() of what decode() gave is the same
// code, so that nothing is rounded but what changed.
#pragma once

#include "kernels/mog/cuda/picture.cuh"

namespace vigil::mog::cuda {

template <class T>
struct Gaussian {
  T weight, mean, variance;
};

// A pseudo-random number for every pixel and frame, evenly spread over both: multiples of irrational numbers
// modulo 1 (those of the plane's most even such sequence, and the golden ratio for time). Consecutive frames'
// rounding errors then cancel sooner than independent ones would.
struct Dither {
  std::uint32_t a, b;
  __device__ Dither(std::uint32_t pixel, std::uint32_t frame)
      : a(pixel * 3242174889u + frame * 2654435769u), b(pixel * 2447445413u + frame * 1640531527u) {}
};

// `whole` times v, without a multiplication by 1.
template <class Codec>
__device__ __forceinline__ typename Codec::Real scaled(typename Codec::Real v) {
  if constexpr (Codec::whole == 1)
    return v;
  else
    return product(v, Codec::whole);
}

// (word & mask) | bits as one instruction, which the compiler does not make of two constants.
__device__ __forceinline__ std::uint32_t masked_with(std::uint32_t word, std::uint32_t mask,
                                                     std::uint32_t bits) {
  std::uint32_t r;
  asm("lop3.b32 %0, %1, %2, %3, 0xEA;" : "=r"(r) : "r"(word), "r"(mask), "r"(bits));
  return r;
}

// Single and double precision; all weights of a tile, then the means, then the variances, in
// Store::gaussians.
template <class T>
struct RealMog {
  using Real = T;
  using Code = Gaussian<T>;
  static constexpr int channels = 1, vector = 16 / sizeof(T);
  static constexpr T whole = 1, offset = 0;
  static constexpr int blocks(int K) { return sizeof(T) == 4 && K <= 3 ? 8 : 1; }
  struct alignas(16) Vector {
    T v[vector];
  };

  static __device__ __forceinline__ void load(const Store &s, int components, int k, const Spot &spot,
                                              Code (&code)[vector]) {
    const Vector w = spot.at<Vector, T>(s.gaussians, 3 * components, k),
                 m = spot.at<Vector, T>(s.gaussians, 3 * components, components + k),
                 v = spot.at<Vector, T>(s.gaussians, 3 * components, 2 * components + k);
#pragma unroll
    for (int j = 0; j < vector; j++) code[j] = {w.v[j], m.v[j], v.v[j]};
  }
  // `moved`: whether any of the pixels has another mean or variance than load() gave.
  static __device__ __forceinline__ void store(const Store &s, int components, int k, const Spot &spot,
                                               const Code (&code)[vector], bool moved, std::uint32_t) {
    Vector w, m, v;
#pragma unroll
    for (int j = 0; j < vector; j++) {
      w.v[j] = code[j].weight;
      m.v[j] = code[j].mean;
      v.v[j] = code[j].variance;
    }
    spot.at<Vector, T>(s.gaussians, 3 * components, k) = w;
    if (!moved) return;
    spot.at<Vector, T>(s.gaussians, 3 * components, components + k) = m;
    spot.at<Vector, T>(s.gaussians, 3 * components, 2 * components + k) = v;
  }
  static __device__ __forceinline__ Gaussian<T> decode(const Code &c) {
    return c;
  }
  static __device__ __forceinline__ Code encode(const Gaussian<T> &g, T scale, const Dither &) {
    return {product(g.weight, scale), g.mean, g.variance};
  }
  static __device__ __forceinline__ std::uint32_t change(const Code &, const Code &) {
    return 0;
  }

  static __device__ Component<1> component(const Store &s, int components, int k, const Spot &spot) {
    const float w = float(spot.at<T>(s.gaussians, 3 * components, k));
    return {w > 0 ? w : -1,
            {float(spot.at<T>(s.gaussians, 3 * components, components + k))},
            float(spot.at<T>(s.gaussians, 3 * components, 2 * components + k))};
  }
  static __device__ void put(const Store &s, int components, int k, const Spot &spot, const Component<1> &c) {
    spot.at<T>(s.gaussians, 3 * components, k) = T(c.weight);
    spot.at<T>(s.gaussians, 3 * components, components + k) = T(c.mean[0]);
    spot.at<T>(s.gaussians, 3 * components, 2 * components + k) = T(c.variance);
  }
};

// 32 bits a component: weight, 10 bits, in units of 1/1023; mean, 11 bits, in units of 1/8; variance, 11
// bits, a number with 4 bits of exponent and 7 of mantissa, 0.25 to 16384. A dither of less than a unit is
// added before the rest is cut off, so that the expected value is the exact one: with plain rounding a mean
// at a rate of 1/500 would stop 31 levels from its goal. Of the splits of 32 bits that were tried, this one
// agrees best with single precision.
//
// Floats with the fields in place: 1 + w has a weight's bits on top of its mantissa (so here a pixel's
// weights sum to 1023/1024), 512 + m a mean's one bit further down (so samples and means carry 512).
struct CompactMog {
  using Real = float;
  using Code = std::uint32_t;
  static constexpr int channels = 1, vector = 4;
  static constexpr float whole = 1023.f / 1024 * (1 - 0x1p-16f), offset = 512;
  static constexpr int blocks(int) { return 8; }
  static constexpr float least_variance = 0.25f, greatest_variance = 16000;
  static constexpr std::uint32_t weight_mask = 0xffc00000, mean_mask = 0x003ff800, variance_mask = 0x7ff;
  static constexpr std::uint32_t least_bits = 0x3e800000; // of least_variance
  static constexpr int variance_shift = 16;

  static __device__ __forceinline__ void load(const Store &s, int components, int k, const Spot &spot,
                                              Code (&code)[vector]) {
    const uint4 v = spot.at<uint4, Code>(s.gaussians, components, k);
    code[0] = v.x;
    code[1] = v.y;
    code[2] = v.z;
    code[3] = v.w;
  }
  static __device__ __forceinline__ void store(const Store &s, int components, int k, const Spot &spot,
                                               const Code (&code)[vector], bool, std::uint32_t changed) {
    if (changed)
      spot.at<uint4, Code>(s.gaussians, components, k) = make_uint4(code[0], code[1], code[2], code[3]);
  }
  static __device__ __forceinline__ Gaussian<float> decode(Code c) {
    return {__uint_as_float(0x3f800000u | (c & weight_mask) >> 9) - 1.f,
            __uint_as_float(masked_with(c, mean_mask, 0x44000000u)),
            __uint_as_float(((c & variance_mask) << variance_shift) + least_bits)};
  }
  static __device__ __forceinline__ Code encode(const Gaussian<float> &g, float scale, const Dither &d) {
    const std::uint32_t w = (__float_as_uint(fused(g.weight, scale, 1.f)) << 9) + (d.a >> 10),
                        m = __float_as_uint(g.mean) + (d.b >> 21),
                        v = (__float_as_uint(smaller(g.variance, greatest_variance)) +
                             ((d.b >> 5 & 0xffffu) - least_bits)) >>
                            variance_shift;
    return (((w & weight_mask) | (m & ~weight_mask)) & ~variance_mask) | v;
  }
  static __device__ __forceinline__ std::uint32_t change(Code before, Code after) { return before ^ after; }

  static __device__ Component<1> component(const Store &s, int components, int k, const Spot &spot) {
    const Code c = spot.at<Code>(s.gaussians, components, k);
    const Gaussian<float> g = decode(c);
    const std::uint32_t w = c >> 22;
    return {w > 0 ? static_cast<float>(w) / 1023.f : -1.f, {g.mean - offset}, g.variance};
  }
  static __device__ void put(const Store &s, int components, int k, const Spot &spot, const Component<1> &c) {
    const std::uint32_t half = 1u << (variance_shift - 1);
    const auto fixed = [](float v, float top) {
      return static_cast<std::uint32_t>(smaller(larger(v + 0.5f, 0.f), top));
    };
    const float variance = smaller(larger(c.variance, least_variance), greatest_variance);
    spot.at<Code>(s.gaussians, components, k) =
        fixed(product(c.weight, 1023.f), 1023.f) << 22 | fixed(product(c.mean[0], 8.f), 255.f * 8) << 11 |
        (__float_as_uint(variance) - least_bits + half) >> variance_shift;
  }
};

} // namespace vigil::mog::cuda
