// SPDX-License-Identifier: LGPL-2.1-or-later
// Method zivkovic, for any number of components, channels and any codec of the state.
#pragma once

#include "kernels/mog/cuda/zivkovic_codec.cuh"

namespace vigil::mog::cuda {

// One pixel's components in registers. Weights are all here; means and variances come from memory when a frame first
// asks for them: components are sorted, and those after a sample's owner are not looked at.
template <class Codec, int K>
struct Pixel {
  using T = typename Codec::Real;
  static constexpr int channels = Codec::channels;

  int active;
  int loaded;     // the first `loaded` codes are here
  unsigned moved; // bit k: code k is not what memory has
  typename Codec::Weight weight[K];
  typename Codec::Code code[K];

  __device__ __forceinline__ void need(const Store &s, std::size_t i, int k) {
    if (k < loaded) return;
    code[k] = Codec::code(s, k, i);
    loaded = k + 1;
  }

  __device__ __forceinline__ void exchange(T (&w)[K], int k) { // with its predecessor
    const T v = w[k];
    w[k] = w[k - 1];
    w[k - 1] = v;
    const auto c = code[k];
    code[k] = code[k - 1];
    code[k - 1] = c;
    moved |= 3u << (k - 1);
  }
  // Component `at` goes up past every predecessor whose weight is not greater than `by`.
  __device__ __forceinline__ void move_up(T (&w)[K], int at, T by) {
#pragma unroll
    for (int k = K - 1; k > 0; k--)
      if (k == at && by >= w[k - 1]) {
        exchange(w, k);
        at = k - 1;
      }
  }

  // One sample; true when it is background.
  __device__ __forceinline__ bool learn(const Store &s, std::size_t i, const T (&x)[channels], T a,
                                        const Rules<T> &c, const Dither &dither) {
    const T keep = 1 - a, prune = product(a, c.complexity_prior), least = larger(a, least_normal<T>);
    bool background = false;
    int owner = -1;
    T total = 0, owner_weight = 0;
    T w[K];
#pragma unroll
    for (int k = 0; k < K; k++) {
      w[k] = 0;
      if (k >= active) continue;
      w[k] = fused(keep, Codec::decode_weight(weight[k]), -prune);
      if (owner < 0) {
        need(s, i, k);
        Shape<T, channels> g = Codec::decode(code[k]);
        T d[channels], d2 = 0;
#pragma unroll
        for (int n = 0; n < channels; n++) {
          d[n] = x[n] - g.mean[n];
          d2 = fused(d[n], d[n], d2);
        }
        background |= total < c.background_ratio && d2 < product(c.background2, g.variance);
        if (d2 < product(c.match2, g.variance)) {
          w[k] += a;
          owner = k;
          owner_weight = w[k];
          const T r = w[k] > least ? smaller(product(a, inverse(w[k])), T(1)) : T(a > 0);
#pragma unroll
          for (int n = 0; n < channels; n++) g.mean[n] = fused(r, d[n], g.mean[n]);
          g.variance = smaller(larger(fused(r, d2 - g.variance, g.variance), c.min_variance), c.max_variance);
          code[k] = Codec::encode(g, dither);
          moved |= 1u << k;
        }
      }
      if (w[k] < prune) { // its place stays, the lightest leaves
        w[k] = 0;
        active--;
      }
      total += w[k];
    }
    if (owner > 0) move_up(w, owner, owner_weight);
    const T scale = total >= least_normal<T> ? inverse(total) : T(1);
#pragma unroll
    for (int k = 0; k < K; k++) w[k] = product(w[k], scale);
    if (owner < 0 && a > 0) {
      const int at = active < K ? active : K - 1;
      active = at + 1;
      Shape<T, channels> fresh;
#pragma unroll
      for (int n = 0; n < channels; n++) fresh.mean[n] = x[n];
      fresh.variance = c.initial_variance;
#pragma unroll
      for (int k = 0; k < K; k++) {
        if (k < at) w[k] = product(w[k], keep);
        if (k != at) continue;
        w[k] = k == 0 ? T(1) : a;
        code[k] = Codec::encode(fresh, dither);
        moved |= 1u << k;
        if (loaded <= k) loaded = k + 1;
      }
      move_up(w, at, at == 0 ? T(1) : a);
    }
#pragma unroll
    for (int k = 0; k < K; k++) weight[k] = Codec::encode_weight(w[k], k, dither);
    return background;
  }

  __device__ __forceinline__ bool in_shadow(const Store &s, std::size_t i, const T (&x)[channels],
                                            const Rules<T> &c) {
    T total = 0;
#pragma unroll
    for (int k = 0; k < K; k++) {
      if (k >= active) return false;
      need(s, i, k);
      const Shape<T, channels> g = Codec::decode(code[k]);
      const Shadow shadow = shadow_of<T, channels>(x, g.mean, g.variance, c);
      if (shadow != Shadow::no) return shadow == Shadow::yes;
      total += Codec::decode_weight(weight[k]);
      if (total > c.background_ratio) return false;
    }
    return false;
  }
};

// A thread keeps one pixel in registers through all frames of the work.
template <class Codec, int K>
__global__ void __launch_bounds__(threads)
    zivkovic_kernel(const __grid_constant__ Job<typename Codec::Real> job) {
  using T = typename Codec::Real;
  const auto [x, y] = place<1>(job);
  if (x >= job.width || y >= job.height) return;
  const std::size_t i = static_cast<std::size_t>(y) * job.store.pitch + x;
  const bool mapped = job.mapped(x, y);
  const Store &s = job.store;

  Pixel<Codec, K> pixel;
  const int active = pixel.active = s.active[i];
  pixel.loaded = 0;
  pixel.moved = 0;
  typename Codec::Weight before[K];
#pragma unroll
  for (int k = 0; k < K; k++)
    before[k] = pixel.weight[k] = k < active ? Codec::weight(s, k, i) : typename Codec::Weight(0);

#pragma unroll 1
  for (int frame = 0; frame < job.count; frame++) {
    const Frame<T> &f = job.frames[frame];
    T v[Codec::channels];
    sample<Codec::channels>(f, job.format, x, y, v);
    const Dither dither(static_cast<std::uint32_t>(i), job.first_frame + frame);
    std::uint8_t label = pixel.learn(s, i, v, mapped ? f.mapped_rate : f.rate, job.rules, dither) ? 0 : 255;
    if (label && job.rules.detect_shadows && pixel.in_shadow(s, i, v, job.rules))
      label = job.rules.shadow_value;
    (f.mask + y * f.mask_stride)[x] = label;
  }

  if (pixel.active != active) s.active[i] = static_cast<std::uint8_t>(pixel.active);
#pragma unroll
  for (int k = 0; k < K; k++) {
    if (k >= pixel.active) continue;
    if (k >= active || pixel.weight[k] != before[k]) Codec::weight(s, k, i) = pixel.weight[k];
    if (pixel.moved >> k & 1u) Codec::code(s, k, i) = pixel.code[k];
  }
}

template <class Codec>
void apply_zivkovic(const Work &work, cudaStream_t stream) {
  const Job<typename Codec::Real> job(work);
  with_components(work.config.components, [&](auto k) {
    launch(zivkovic_kernel<Codec, k()>, grid_of(job.width, job.height, 1), stream, job);
  });
}

} // namespace vigil::mog::cuda
