// SPDX-License-Identifier: LGPL-2.1-or-later
// Method mog of mog.h: one thread for V neighbours of a row, 16 bytes of each array at a time.
//
// All components are read and all weights written each frame; means and variances are written back only where one of the
// thread's pixels changed them. A group's state stays in registers between its frames.
#pragma once

#include "kernels/mog/cuda/storage.cuh"

namespace vigil::mog::cuda {

// How a value lies in memory. Compact: weight in 1/65535, mean in 1/256, variance as a half float, rounded as in storage.cuh.
template <class T>
struct Cell {
  using Real = T;
  static constexpr bool rounds = false;
  static __device__ Real weight(T v) { return v; }
  static __device__ Real mean(T v) { return v; }
  static __device__ Real variance(T v) { return v; }
  static __device__ T pack_weight(Real v, std::uint32_t) { return v; }
  static __device__ T pack_mean(Real v, std::uint32_t) { return v; }
  static __device__ T pack_variance(Real v, std::uint32_t) { return v; }
};
template <>
struct Cell<std::uint16_t> {
  using Real = float;
  static constexpr bool rounds = true;
  using S = CompactStorage<1>;
  static __device__ float weight(std::uint16_t v) { return S::weight(v); }
  static __device__ float mean(std::uint16_t v) { return v * (1.f / mean_scale); }
  static __device__ float variance(std::uint16_t v) { return S::half_value(v); }
  static __device__ std::uint16_t pack_weight(float v, std::uint32_t bits) {
    return S::pack_weight(S::round_weight(v, bits));
  }
  static __device__ std::uint16_t pack_mean(float v, std::uint32_t bits) {
    return std::uint16_t(min(round_fixed(v, mean_scale, bits), 255.f) * mean_scale + 0.5f);
  }
  static __device__ std::uint16_t pack_variance(float v, std::uint32_t bits) {
    return S::half_bits(round_half(v, bits));
  }
};

template <class T, int V>
struct alignas(sizeof(T) * V) Pack {
  T v[V];
};

// One sample: classifies and learns. Component k is w[k].v[j], m[k].v[j], s[k].v[j]; changed gets bit k.
template <class T, int K, int V>
__device__ std::uint8_t step(Pack<T, V> (&w)[K], Pack<T, V> (&m)[K], Pack<T, V> (&s)[K], int j,
                             int sample_value, typename Cell<T>::Real a,
                             const Numbers<typename Cell<T>::Real> &c, unsigned &changed, std::uint32_t pixel,
                             std::uint32_t frame) {
  using Real = typename Cell<T>::Real;
  const Real x = Real(sample_value), keep = 1 - a;
  Real weight[K], mean[K], variance[K], sum = 0, lightest = 2;
  unsigned touched = 0;
  int weakest = 0;
  bool background = false;
#pragma unroll
  for (int k = 0; k < K; k++) {
    const Real before = Cell<T>::weight(w[k].v[j]);
    mean[k] = Cell<T>::mean(m[k].v[j]);
    variance[k] = Cell<T>::variance(s[k].v[j]);
    const Real d = x - mean[k], d2 = d * d;
    weight[k] = keep * before;
    if (before > 0 && d2 < c.match2 * variance[k]) {
      weight[k] += a;
      const Real r = weight[k] > a ? a / weight[k] : a > 0 ? Real(1) : Real(0);
      mean[k] += r * d;
      variance[k] = max(variance[k] + r * (d2 - variance[k]), c.min_variance);
      background = background || weight[k] >= c.weight_threshold;
      touched |= 1u << k;
    }
    if (weight[k] < lightest) {
      lightest = weight[k];
      weakest = k;
    }
  }
  if (!touched && a > 0) {
#pragma unroll
    for (int k = 0; k < K; k++)
      if (k == weakest) {
        weight[k] = c.initial_weight;
        mean[k] = x;
        variance[k] = c.initial_variance;
      }
    touched = 1u << weakest;
  }
#pragma unroll
  for (int k = 0; k < K; k++) sum += weight[k];
  const Real scale = sum > 0 ? 1 / sum : Real(1);
  const std::uint32_t weight_bits = Cell<T>::rounds ? random_bits(pixel, frame, 5) : 0;
  bool shadow = false, walking = c.background2 > 0;
#pragma unroll
  for (int k = 0; k < K; k++) {
    weight[k] *= scale;
    w[k].v[j] = Cell<T>::pack_weight(weight[k], weight_bits >> (5 * k));
    if (touched >> k & 1) {
      const std::uint32_t bits = Cell<T>::rounds ? random_bits(pixel, frame, k) : 0;
      m[k].v[j] = Cell<T>::pack_mean(mean[k], bits);
      s[k].v[j] = Cell<T>::pack_variance(variance[k], bits >> 8);
    }
    const Real n = (x - c.zero[0]) * (mean[k] - c.zero[0]), q = (mean[k] - c.zero[0]) * (mean[k] - c.zero[0]);
    // With one channel a sample of the right brightness is its component's copy exactly: no distortion is left.
    walking = walking && (weight[k] < c.weight_threshold || q != 0);
    shadow = shadow ||
             (walking && weight[k] >= c.weight_threshold && n <= q && n >= c.shadow_threshold * q && n > 0);
  }
  changed |= touched;
  if (background) return 0;
  return c.detect_shadows && shadow ? c.shadow_value : 255;
}

template <class T, int K, int V>
__global__ void __launch_bounds__(128)
    mog_kernel(const __grid_constant__ Args<typename Cell<T>::Real, max_group> args) {
  using Real = typename Cell<T>::Real;
  using Vector = Pack<T, V>;
  const int x = (blockIdx.x * 32 + threadIdx.x) * V, y = blockIdx.y * 4 + threadIdx.y;
  if (x >= args.width || y >= args.height) return;
  const std::size_t i = std::size_t(y) * args.store.pitch + x, plane = args.store.plane;
  T *const weights = static_cast<T *>(args.store.weight) + i;
  T *const means = static_cast<T *>(args.store.gaussian) + i;
  T *const variances = means + K * plane;
  const int inside = min(V, args.width - x);

  Vector w[K], m[K], s[K];
#pragma unroll
  for (int k = 0; k < K; k++) {
    w[k] = *reinterpret_cast<const Vector *>(weights + k * plane);
    m[k] = *reinterpret_cast<const Vector *>(means + k * plane);
    s[k] = *reinterpret_cast<const Vector *>(variances + k * plane);
  }
  unsigned changed = 0;
#pragma unroll 1
  for (int f = 0; f < args.count; f++) {
    const Frame &frame = args.frame[f];
    Pack<std::uint8_t, V> value, label;
    const bool luma_plane = args.format != PixelFormat::rgba && args.format != PixelFormat::bgra;
    const std::uint8_t *from = frame.plane[0] + std::ptrdiff_t(y) * frame.stride[0] + x;
    if (luma_plane && inside == V && reinterpret_cast<std::uintptr_t>(from) % V == 0)
      value = *reinterpret_cast<const Pack<std::uint8_t, V> *>(from);
    else
      for (int j = 0; j < V; j++)
        value.v[j] = j < inside ? std::uint8_t(luma_at(frame, args.format, x + j, y)) : std::uint8_t(0);
    const Real a = rate_at<Real>(frame, args.rates, x, y); // V divides the blocks of the rate map
#pragma unroll
    for (int j = 0; j < V; j++)
      label.v[j] =
          step<T, K, V>(w, m, s, j, value.v[j], a, args.c, changed, std::uint32_t(i) + j, frame.number);
    std::uint8_t *to = frame.mask + std::ptrdiff_t(y) * frame.mask_stride + x;
    if (inside == V && reinterpret_cast<std::uintptr_t>(to) % V == 0)
      *reinterpret_cast<Pack<std::uint8_t, V> *>(to) = label;
    else
      for (int j = 0; j < inside; j++) to[j] = label.v[j];
  }
#pragma unroll
  for (int k = 0; k < K; k++) {
    *reinterpret_cast<Vector *>(weights + k * plane) = w[k];
    if (changed >> k & 1) {
      *reinterpret_cast<Vector *>(means + k * plane) = m[k];
      *reinterpret_cast<Vector *>(variances + k * plane) = s[k];
    }
  }
}

} // namespace vigil::mog::cuda
