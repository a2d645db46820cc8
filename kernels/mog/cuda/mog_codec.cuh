// SPDX-License-Identifier: LGPL-2.1-or-later
// How the state of method mog is stored.
//
// A codec has: Real (of the arithmetic), Code (one component as registers hold it), vector (pixels a thread), whole (the
// sum of a pixel's weights) and offset (added to samples and means); load and store for `vector` neighbouring pixels;
// decode and encode. encode() of what decode() gave is the same code, so that nothing is rounded but what changed.
#pragma once

#include "kernels/mog/cuda/picture.cuh"

namespace vigil::mog::cuda {

template <class T>
struct Gaussian {
  T weight, mean, variance;
};

// A pseudo-random number for every pixel and frame, evenly spread over both: multiples of irrational numbers modulo 1
// (those of the plane's most even such sequence, and the golden ratio for time). Consecutive frames' rounding errors
// then cancel sooner than independent ones would.
struct Dither {
  std::uint32_t a, b;
  __device__ Dither(std::uint32_t pixel, std::uint32_t frame)
      : a(pixel * 3242174889u + frame * 2654435769u), b(pixel * 2447445413u + frame * 1640531527u) {}
};

// Single and double precision, in planes: weights; means of component 0, 1, ...; variances of component 0, 1, ...
template <class T>
struct RealMog {
  using Real = T;
  using Code = Gaussian<T>;
  static constexpr int channels = 1, vector = 16 / sizeof(T);
  static constexpr T whole = 1, offset = 0;
  struct alignas(16) Vector {
    T v[vector];
  };

  static __device__ __forceinline__ void load(const Store &s, int components, int k, std::size_t i,
                                              Code (&code)[vector]) {
    const T *gaussians = static_cast<const T *>(s.gaussians) + k * s.plane + i;
    const Vector w = *reinterpret_cast<const Vector *>(static_cast<const T *>(s.weights) + k * s.plane + i),
                 m = *reinterpret_cast<const Vector *>(gaussians),
                 v = *reinterpret_cast<const Vector *>(gaussians + components * s.plane);
#pragma unroll
    for (int j = 0; j < vector; j++) code[j] = {w.v[j], m.v[j], v.v[j]};
  }
  // `moved`: whether any of the pixels has another mean or variance than load() gave.
  static __device__ __forceinline__ void store(const Store &s, int components, int k, std::size_t i,
                                               const Code (&code)[vector], std::uint32_t moved) {
    Vector w, m, v;
#pragma unroll
    for (int j = 0; j < vector; j++) {
      w.v[j] = code[j].weight;
      m.v[j] = code[j].mean;
      v.v[j] = code[j].variance;
    }
    *reinterpret_cast<Vector *>(static_cast<T *>(s.weights) + k * s.plane + i) = w;
    if (!moved) return;
    T *gaussians = static_cast<T *>(s.gaussians) + k * s.plane + i;
    *reinterpret_cast<Vector *>(gaussians) = m;
    *reinterpret_cast<Vector *>(gaussians + components * s.plane) = v;
  }
  static __device__ __forceinline__ Gaussian<T> decode(const Code &c) {
    return c;
  }
  static __device__ __forceinline__ Code encode(const Gaussian<T> &g, const Dither &) {
    return g;
  }
  static __device__ __forceinline__ std::uint32_t change(const Code &, const Code &, bool moved) {
    return moved;
  }

  static __device__ Component<1> component(const Store &s, int components, int k, std::size_t i) {
    const float w = float(static_cast<const T *>(s.weights)[k * s.plane + i]);
    const T *gaussians = static_cast<const T *>(s.gaussians) + k * s.plane + i;
    return {w > 0 ? w : -1, {float(gaussians[0])}, float(gaussians[components * s.plane])};
  }
  static __device__ void put(const Store &s, int components, int k, std::size_t i, const Component<1> &c) {
    static_cast<T *>(s.weights)[k * s.plane + i] = T(c.weight);
    T *gaussians = static_cast<T *>(s.gaussians) + k * s.plane + i;
    gaussians[0] = T(c.mean[0]);
    gaussians[components * s.plane] = T(c.variance);
  }
};

// 32 bits a component: weight, 10 bits, in units of 1/1023; mean, 11 bits, in units of 1/8; variance, 11 bits, a number
// with 4 bits of exponent and 7 of mantissa, 0.25 to 16384. A dither of less than a unit is added before the rest is
// cut off, so that the expected value is the exact one: with plain rounding a mean at a rate of 1/500 would stop 31
// levels from its goal. Of the splits of 32 bits that were tried, this one agrees best with single precision.
//
// Floats with the fields in place: 1 + w has a weight's bits on top of its mantissa (so here a pixel's weights sum to
// 1023/1024), 512 + m a mean's one bit further down (so samples and means carry 512).
struct CompactMog {
  using Real = float;
  using Code = std::uint32_t;
  static constexpr int channels = 1, vector = 4;
  static constexpr float whole = 1023.f / 1024 * (1 - 0x1p-16f), offset = 512;
  static constexpr float least_variance = 0.25f, greatest_variance = 16000;
  static constexpr std::uint32_t weight_mask = 0xffc00000, mean_mask = 0x003ff800, variance_mask = 0x7ff;
  static constexpr std::uint32_t least_bits = 0x3e800000; // of least_variance
  static constexpr int variance_shift = 16;

  static __device__ __forceinline__ void load(const Store &s, int, int k, std::size_t i,
                                              Code (&code)[vector]) {
    const uint4 v =
        *reinterpret_cast<const uint4 *>(static_cast<const Code *>(s.gaussians) + k * s.plane + i);
    code[0] = v.x;
    code[1] = v.y;
    code[2] = v.z;
    code[3] = v.w;
  }
  static __device__ __forceinline__ void store(const Store &s, int, int k, std::size_t i,
                                               const Code (&code)[vector], std::uint32_t changed) {
    if (!changed) return;
    *reinterpret_cast<uint4 *>(static_cast<Code *>(s.gaussians) + k * s.plane + i) =
        make_uint4(code[0], code[1], code[2], code[3]);
  }
  static __device__ __forceinline__ Gaussian<float> decode(Code c) {
    return {__uint_as_float(0x3f800000u | (c & weight_mask) >> 9) - 1.f,
            __uint_as_float(0x44000000u | (c & mean_mask)),
            __uint_as_float(((c & variance_mask) << variance_shift) + least_bits)};
  }
  static __device__ __forceinline__ Code encode(const Gaussian<float> &g, const Dither &d) {
    const std::uint32_t w = (__float_as_uint(g.weight + 1.f) << 9) + (d.a >> 10),
                        m = __float_as_uint(g.mean) + (d.b >> 21),
                        v = (__float_as_uint(smaller(g.variance, greatest_variance)) - least_bits +
                             (d.b >> 5 & 0xffffu)) >>
                            variance_shift;
    return (w & weight_mask) | (m & mean_mask) | v;
  }
  static __device__ __forceinline__ std::uint32_t change(Code before, Code after, bool) {
    return before ^ after;
  }

  static __device__ Component<1> component(const Store &s, int, int k, std::size_t i) {
    const Code c = static_cast<const Code *>(s.gaussians)[k * s.plane + i];
    const Gaussian<float> g = decode(c);
    const std::uint32_t w = c >> 22;
    return {w > 0 ? static_cast<float>(w) / 1023.f : -1.f, {g.mean - offset}, g.variance};
  }
  static __device__ void put(const Store &s, int, int k, std::size_t i, const Component<1> &c) {
    const std::uint32_t half = 1u << (variance_shift - 1);
    const auto fixed = [](float v, float top) {
      return static_cast<std::uint32_t>(smaller(larger(v + 0.5f, 0.f), top));
    };
    const float variance = smaller(larger(c.variance, least_variance), greatest_variance);
    static_cast<Code *>(s.gaussians)[k * s.plane + i] =
        fixed(product(c.weight, 1023.f), 1023.f) << 22 | fixed(product(c.mean[0], 8.f), 255.f * 8) << 11 |
        (__float_as_uint(variance) - least_bits + half) >> variance_shift;
  }
};

} // namespace vigil::mog::cuda
