// SPDX-License-Identifier: LGPL-2.1-or-later
// Method zivkovic, for any number of components, channels and any codec of the state.
//
// A thread keeps the number and the weights of one pixel's components in registers. Means and variances stay
// in memory: components are sorted, those after a sample's owner are not looked at, and only the owner's
// change, so that most pixels read and write those of the first component alone. In a group of frames they
// come from the first-level cache.
#pragma once

#include "common/cuda/launch.h"
#include "kernels/mog/cuda/zivkovic_codec.cuh"

namespace vigil::mog::cuda {

template <class Codec, int K>
struct Pixel {
  using T = typename Codec::Real;
  using Code = typename Codec::Code;
  static constexpr int channels = Codec::channels;

  int active;
  Code *codes; // of component 0; those of the others are a tile apart
  T weight[K]; // as the codec keeps them in registers

  __device__ __forceinline__ Code &code(int k) const { return codes[k * tile]; }

  // Component `at` goes up past every predecessor whose weight is not greater than `by`, and these go down;
  // returns where it is then. Its code is not touched: a caller that moves it has a new one for it.
  __device__ __forceinline__ int move_up(T (&w)[K], int at, T by) const {
#pragma unroll
    for (int k = K - 1; k > 0; k--)
      if (k == at && by >= w[k - 1]) {
        const T own = w[k];
        w[k] = w[k - 1];
        w[k - 1] = own;
        code(k) = code(k - 1);
        at = k - 1;
      }
    return at;
  }

  // Whether the sample is background by weight over deviation. Squares are compared: w / sqrt(v) > w' /
  // sqrt(v') where w^2 v' > w'^2 v.
  __device__ __forceinline__ bool background_by_deviation(const T (&x)[channels], const Rules<T> &c) const {
    T w[K], v[K];
    unsigned near = 0;
#pragma unroll
    for (int k = 0; k < K; k++) {
      w[k] = 0;
      v[k] = 1;
      if (k >= active) continue;
      const Shape<T, channels> g = Codec::decode(code(k));
      T d2 = 0;
#pragma unroll
      for (int n = 0; n < channels; n++) d2 = fused(x[n] - g.mean[n], x[n] - g.mean[n], d2);
      w[k] = Codec::decode_weight(weight[k]);
      v[k] = g.variance;
      near |= static_cast<unsigned>(d2 < product(c.background2, g.variance)) << k;
    }
    bool background = false;
#pragma unroll
    for (int k = 0; k < K; k++) {
      T before = 0;
#pragma unroll
      for (int j = 0; j < K; j++) {
        if (j == k) continue;
        const T there = product(product(w[j], w[j]), v[k]), here = product(product(w[k], w[k]), v[j]);
        before += (j < k ? there >= here : there > here) ? w[j] : T(0);
      }
      background |= (near >> k & 1u) && before < c.background_ratio;
    }
    return background;
  }

  // One sample; true when it is background. `first` is the code of component 0.
  __device__ __forceinline__ bool learn(const Code &first, const T (&x)[channels], T a, const Rules<T> &c,
                                        const Dither &dither) {
    const T keep = 1 - a, prune = product(a, c.complexity_prior);
    unsigned background = c.background_by_deviation && background_by_deviation(x, c);
    const T ratio = c.background_by_deviation ? T(0) : c.background_ratio; // of what the walk decides
    int owner = -1;
    T total = 0, w[K], owner_weight = 0, owner_d2 = 0;
    Shape<T, channels> g;   // of the owner
    T difference[channels]; // of the sample from its mean
#pragma unroll
    for (int k = 0; k < K; k++) w[k] = fused(keep, Codec::decode_weight(weight[k]), -prune);
    // Component k, which is in use, for a sample that has no owner yet.
    const auto examine = [&](int k, const Code &stored) {
      g = Codec::decode(stored);
      T d2 = 0;
#pragma unroll
      for (int n = 0; n < channels; n++) {
        difference[n] = x[n] - g.mean[n];
        d2 = n == 0 ? product(difference[n], difference[n]) : fused(difference[n], difference[n], d2);
      }
      background |= (total < ratio) & (d2 < product(c.background2, g.variance));
      if (d2 < product(c.match2, g.variance)) {
        w[k] += a;
        owner = k;
        owner_weight = w[k];
        owner_d2 = d2;
      }
    };
    // Afterwards: a weight too small becomes 0, and the number falls; its place stays, the lightest leaves.
    const auto settle = [&](int k, bool in_use) {
      const bool dies = in_use & (w[k] < prune);
      w[k] = in_use & !dies ? w[k] : T(0);
      if (dies) active--;
      total = k == 0 ? w[k] : total + w[k];
    };
    const bool any = active > 0;
    if (any) examine(0, first);
    settle(0, any);
    if (any & (owner < 0)) {
      Code rest[K];
#pragma unroll
      for (int k = 1; k < K; k++)
        if (k < active) rest[k] = code(k); // all at once: they are waited for together
#pragma unroll
      for (int k = 1; k < K; k++) {
        const bool in_use = k < active;
        if (in_use & (owner < 0)) examine(k, rest[k]);
        settle(k, in_use);
      }
    } else {
#pragma unroll
      for (int k = 1; k < K; k++) settle(k, k < active);
    }
    int at = owner;
    if (owner > 0) at = move_up(w, owner, owner_weight);
    T scale = scaled<Codec>(inverse(larger(total, least_normal<T>)));
    T r = smaller(product(a, inverse(larger(owner_weight, least_normal<T>))), T(1));
    if (owner >= 0) {
      g.variance =
          smaller(larger(fused(r, owner_d2 - g.variance, g.variance), c.min_variance), c.max_variance);
    } else if (a > 0) {
      at = active < K ? active : K - 1;
      active = at + 1;
      r = 0;
#pragma unroll
      for (int n = 0; n < channels; n++) {
        g.mean[n] = x[n];
        difference[n] = 0;
      }
      g.variance = c.initial_variance;
      const T own = at == 0 ? Codec::whole : smaller(a, Codec::whole); // at the rate 1, too
#pragma unroll
      for (int k = 0; k < K; k++) w[k] = k == at ? own : product(w[k], k < at ? product(scale, keep) : scale);
      scale = 1;
      at = move_up(w, at, own);
    }
    if (at >= 0) code(at) = Codec::moved(g, r, difference, dither);
#pragma unroll
    for (int k = 0; k < K; k++) weight[k] = Codec::encode_weight(w[k], scale, dither);
    return background;
  }

  __device__ __forceinline__ bool in_shadow(const T (&x)[channels], const Rules<T> &c) const {
    T total = 0;
#pragma unroll
    for (int k = 0; k < K; k++) {
      if (k >= active) return false;
      const Shape<T, channels> g = Codec::decode(code(k));
      const Shadow shadow = shadow_of<T, channels>(x, g.mean, g.variance, c);
      if (shadow != Shadow::no) return shadow == Shadow::yes;
      total += Codec::decode_weight(weight[k]);
      if (total > c.background_ratio) return false;
    }
    return false;
  }
};

// `alone`: the work is one frame; the numbers are the same without.
template <class Codec, int K, bool alone>
__global__ void __launch_bounds__(threads, resident_blocks(Codec::blocks))
    zivkovic_kernel(const __grid_constant__ Job<typename Codec::Real> job) {
  using T = typename Codec::Real;
  using Weight = typename Codec::Weight;
  using Code = typename Codec::Code;
  const Spot spot = spot_of<1>(job);
  wait_for_earlier();
  begin_next();
  if (spot.x >= job.width || spot.y >= job.height) return;

  // All that does not depend on anything else is asked for at once, weights of components that are not in use
  // included: waiting for memory, one access after another, is what takes the time.
  std::uint8_t &count = spot.at<std::uint8_t>(job.store.active, 1, 0);
  Weight *const weights = kept(&spot.at<Weight>(job.store.weights, K, 0));
  Pixel<Codec, K> pixel{count, kept(&spot.at<Code>(job.store.gaussians, K, 0)), {}};
  const int active = pixel.active;
  Code first = pixel.code(0);
#pragma unroll
  for (int k = 0; k < K; k++) pixel.weight[k] = Codec::held(weights[k * tile]);
  Place at = Places(job, job.frames[0])(spot.x, spot.y);
  if (alone && !at.inside) {
    row_of(job.frames[0].mask, job.frames[0].mask_stride, at.y)[at.x] = 0;
    return;
  }
  std::uint32_t bytes = samples<Codec::channels>(job, job.frames[0], at.x, at.y);
  const int kind = job.kind(spot.x, spot.y);

  for (int frame = 0;;) {
    const Frame<T> &f = job.frames[frame];
    T v[Codec::channels];
#pragma unroll
    for (int c = 0; c < Codec::channels; c++) v[c] = Codec::sample(bytes, c);
    const Dither dither(static_cast<std::uint32_t>(spot.y) * job.width + spot.x, job.first_frame + frame);
    std::uint8_t label = 0;
    if (alone || at.inside) {
      label = pixel.learn(first, v, f.rate[kind], job.rules, dither) ? 0 : 255;
      if (label && job.rules.detect_shadows && pixel.in_shadow(v, job.rules)) label = job.rules.shadow_value;
    }
    row_of(f.mask, f.mask_stride, at.y)[at.x] = label;
    if (alone || ++frame == job.count) break;
    at = Places(job, job.frames[frame])(spot.x, spot.y);
    bytes = samples<Codec::channels>(job, job.frames[frame], at.x, at.y);
    first = pixel.code(0);
  }

  if (pixel.active != active) count = static_cast<std::uint8_t>(pixel.active);
#pragma unroll
  for (int k = 0; k < K; k++)
    if (k < pixel.active) weights[k * tile] = Codec::stored(pixel.weight[k]);
}

template <class Codec>
void apply_zivkovic(const Work &work, cudaStream_t stream) {
  const Launch size(work.config.width, work.config.height, 1);
  Job<typename Codec::Real> job(work, size.grid, 1);
  job.rules = Rules<typename Codec::Real>(Codec::storable(work.constants));
  with_components(work.config.components, [&](auto k) {
    launch_early(job.count == 1 ? zivkovic_kernel<Codec, k(), true> : zivkovic_kernel<Codec, k(), false>,
                 size.grid, size.block, 0, stream, job);
    cuda_check(cudaGetLastError(), "mog");
  });
}

} // namespace vigil::mog::cuda
