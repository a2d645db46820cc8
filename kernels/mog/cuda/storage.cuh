// SPDX-License-Identifier: LGPL-2.1-or-later
// How a component of method zivkovic lies in memory: mean and variance together in one 4 to 32 byte word, weights apart,
// since every frame changes all weights but the mean and variance of one component only (B, section III.B.2).
//
// Compact, 2 bytes a value: means in 1/256 grey level, weights in 1/65535, variances as half floats. Values are rounded up
// or down at random, with odds that keep their mean: at a learning rate of 1/500 an update is often smaller than half
// a unit, and rounding to nearest would drop it for ever.
#pragma once

#include "kernels/mog/cuda/samples.cuh"

#include <cuda_fp16.h>

namespace vigil::mog::cuda {

template <class Real, int C>
struct Gaussian {
  Real mean[C], variance;
};

template <int C>
struct SingleStorage {
  using Real = float;
  using Word = std::conditional_t<C == 3, float4, float2>;
  using Weight = float;
  static constexpr bool rounds = false;
  static __device__ Gaussian<float, C> unpack(Word w) {
    if constexpr (C == 3)
      return {{w.x, w.y, w.z}, w.w};
    else
      return {{w.x}, w.y};
  }
  static __device__ Word pack(const Gaussian<float, C> &g) {
    if constexpr (C == 3)
      return make_float4(g.mean[0], g.mean[1], g.mean[2], g.variance);
    else
      return make_float2(g.mean[0], g.variance);
  }
  static __device__ float weight(Weight w) { return w; }
  static __device__ Weight pack_weight(float w) { return w; }
};

template <int C>
struct DoubleStorage {
  using Real = double;
  struct alignas(16) Four {
    double v[4];
  };
  using Word = std::conditional_t<C == 3, Four, double2>;
  using Weight = double;
  static constexpr bool rounds = false;
  static __device__ Gaussian<double, C> unpack(const Word &w) {
    if constexpr (C == 3)
      return {{w.v[0], w.v[1], w.v[2]}, w.v[3]};
    else
      return {{w.x}, w.y};
  }
  static __device__ Word pack(const Gaussian<double, C> &g) {
    if constexpr (C == 3)
      return {g.mean[0], g.mean[1], g.mean[2], g.variance};
    else
      return make_double2(g.mean[0], g.variance);
  }
  static __device__ double weight(Weight w) { return w; }
  static __device__ Weight pack_weight(double w) { return w; }
};

// v >= 0 to a multiple of 1/scale, up or down by the eight random bits.
__device__ inline float round_fixed(float v, float scale, std::uint32_t bits) {
  return floorf(v * scale + (float(bits & 0xff) + 0.5f) * (1.f / 256)) * (1.f / scale);
}
// v > 0 to a half float likewise: the random bits are added below the last bit that stays.
__device__ inline float round_half(float v, std::uint32_t bits) {
  const std::uint32_t u = __float_as_uint(v) + ((bits & 0xff) << 5) + 16;
  return __uint_as_float(u & ~0x1fffu);
}
inline constexpr float mean_scale = 256.f;
inline constexpr float weight_scale = 65535.f;

template <int C>
struct CompactStorage {
  using Real = float;
  using Word = std::conditional_t<C == 3, ushort4, ushort2>;
  using Weight = std::uint16_t;
  static constexpr bool rounds = true;
  static __device__ std::uint16_t half_bits(float v) { return __half_as_ushort(__float2half_rz(v)); }
  static __device__ float half_value(std::uint16_t b) { return __half2float(__ushort_as_half(b)); }
  static __device__ Gaussian<float, C> unpack(Word w) {
    if constexpr (C == 3)
      return {{w.x / mean_scale, w.y / mean_scale, w.z / mean_scale}, half_value(w.w)};
    else
      return {{w.x / mean_scale}, half_value(w.y)};
  }
  static __device__ Word pack(const Gaussian<float, C> &g) {
    const auto fixed = [](float m) { return std::uint16_t(m * mean_scale + 0.5f); };
    if constexpr (C == 3)
      return make_ushort4(fixed(g.mean[0]), fixed(g.mean[1]), fixed(g.mean[2]), half_bits(g.variance));
    else
      return make_ushort2(fixed(g.mean[0]), half_bits(g.variance));
  }
  static __device__ float weight(Weight w) { return float(w) * (1.f / weight_scale); }
  static __device__ Weight pack_weight(float w) { return Weight(w * weight_scale + 0.5f); }

  // To values that pack() keeps exactly.
  static __device__ void round(Gaussian<float, C> &g, std::uint32_t bits) {
    for (int c = 0; c < C; c++) g.mean[c] = min(round_fixed(g.mean[c], mean_scale, bits >> (8 * c)), 255.f);
    g.variance = round_half(g.variance, bits >> 24);
  }
  static __device__ float round_weight(float w, std::uint32_t bits) {
    const float units = floorf(w * weight_scale + (float(bits & 0xff) + 0.5f) * (1.f / 256));
    return min(units, weight_scale) * (1.f / weight_scale);
  }
};

} // namespace vigil::mog::cuda
