// SPDX-License-Identifier: LGPL-2.1-or-later
// Method mog, for any number of components and any codec of the state.
#pragma once

#include "kernels/mog/cuda/mog_codec.cuh"

namespace vigil::mog::cuda {

// No component's place depends on its weight (A, algorithm 3), so nothing is sorted.
struct Outcome {
  bool matched, background;
};

// The components that match, and the weights of all; without branches (A, algorithm 5), those that && would
// make included. `moved[k]` becomes true where component k has another mean and variance.
template <class Codec, int K, class T = typename Codec::Real>
__device__ __forceinline__ Outcome update(Gaussian<T> (&g)[K], T x, T a, const Rules<T> &c,
                                          bool (&moved)[K]) {
  // A little less than `gain` keeps every r below 1, whatever inverse() rounds, and so means between 0 and
  // 255.
  const T keep = 1 - a, gain = scaled<Codec>(a), less = product(gain, T(1 - 0x1p-21));
  Outcome o{false, false};
#pragma unroll
  for (int k = 0; k < K; k++) {
    const T d = x - g[k].mean, d2 = product(d, d), v = g[k].variance;
    const bool match = (g[k].weight >= least_normal<T>)&(d2 < product(c.match2, v));
    const T w = fused(keep, g[k].weight, match ? gain : T(0));
    const T share = product(less, inverse(w)), r = match ? share : T(0);
    const T updated = larger(fused(r, d2 - v, v), c.min_variance);
    g[k] = {w, fused(r, d, g[k].mean), match ? updated : v};
    o.matched |= match;
    o.background |= match & (w >= c.weight_threshold);
    moved[k] |= match;
  }
  return o;
}

// A new component instead of the lightest, the first of equals.
template <class T, int K>
__device__ __forceinline__ void replace(Gaussian<T> (&g)[K], T x, const Rules<T> &c, bool (&moved)[K]) {
  int lightest = 0;
  T least = g[0].weight;
#pragma unroll
  for (int k = 1; k < K; k++)
    if (g[k].weight < least) {
      least = g[k].weight;
      lightest = k;
    }
#pragma unroll
  for (int k = 0; k < K; k++)
    if (k == lightest) {
      g[k] = {c.initial_weight, x, c.initial_variance};
      moved[k] = true;
    }
}

// What the weights are to be multiplied by, so that they sum to `whole`.
template <class Codec, int K, class T = typename Codec::Real>
__device__ __forceinline__ T normaliser(const Gaussian<T> (&g)[K]) {
  T sum = g[0].weight;
#pragma unroll
  for (int k = 1; k < K; k++) sum += g[k].weight;
  return scaled<Codec>(inverse(larger(sum, least_normal<T>)));
}

template <class T, int K>
__device__ __forceinline__ bool in_shadow(const Gaussian<T> (&g)[K], T scale, T x, T offset,
                                          const Rules<T> &c) {
  const T sample[1] = {x - offset};
#pragma unroll
  for (int k = 0; k < K; k++) {
    if (product(g[k].weight, scale) < c.weight_threshold) continue;
    const T mean[1] = {g[k].mean - offset};
    const Shadow s = shadow_of<T, 1>(sample, mean, g[k].variance, c);
    if (s != Shadow::no) return s == Shadow::yes;
  }
  return false;
}

// The luma of `vector` pixels that lie anywhere in the frame, one a byte, and of which the first `count`
// exist; `inside`: a bit for each that lies in the frame.
template <int vector, class T>
__device__ __forceinline__ std::uint32_t gathered(const Job<T> &job, const Frame<T> &f, const Places &places,
                                                  int x, int y, int count, std::uint32_t &inside) {
  std::uint32_t word = 0;
  inside = 0;
#pragma unroll
  for (int j = 0; j < vector; j++) {
    if (j >= count) break;
    const Place at = places(x + j, y);
    word |= lumas<1>(f, job.format, at.x, at.y, 1, false) << (8 * j);
    inside |= static_cast<std::uint32_t>(at.inside) << j;
  }
  return word;
}

// Takes the place of Places where no frame has a shift.
struct Unshifted {
  template <class T>
  __device__ __forceinline__ Unshifted(const Job<T> &, const Frame<T> &) {}
  __device__ __forceinline__ Place operator()(int x, int y) const { return {x, y, true}; }
};

// A thread keeps `vector` pixels in registers through all frames of the work.
// `alone`: the work is one frame; `shifted`: some frame has a shift. Without a shift the numbers are the same
// with `shifted` as without, but its places and branches cost up to a sixth of the time.
template <class Codec, int K, bool alone, bool shifted>
__global__ void __launch_bounds__(threads, resident_blocks(Codec::blocks(K)))
    mog_kernel(const __grid_constant__ Job<typename Codec::Real> job) {
  using T = typename Codec::Real;
  constexpr int vector = Codec::vector;
  const Spot spot = spot_of<vector>(job);
  const int x = spot.x, y = spot.y;
  if (x >= job.width || y >= job.height) return;
  const int kind = job.kind(x, y);
  const std::uint32_t pixel = static_cast<std::uint32_t>(y) * job.width + x;
  const int count = job.width - x;
  const bool whole = job.aligned & (count >= vector);
  typename Codec::Code code[K][vector];
#pragma unroll
  for (int k = 0; k < K; k++) Codec::load(job.store, K, k, spot, code[k]);
  bool moved[K] = {};
  std::uint32_t changed[K] = {};

#pragma unroll 1
  for (int frame = 0; frame < (alone ? 1 : job.count); frame++) {
    const Frame<T> &f = job.frames[frame];
    const std::conditional_t<shifted, Places, Unshifted> places(job, f);
    const Place first = places(x, y);
    // All pixels of the thread are there, side by side at an address for one access, and in or out together.
    bool together = whole;
    std::uint32_t samples, inside = first.inside ? (1u << vector) - 1 : 0;
    if constexpr (shifted) {
      together = whole & (first.x % vector == 0) & (first.x + vector <= job.width);
      if (together)
        samples = lumas<vector>(f, job.format, first.x, first.y, vector, true);
      else
        samples = gathered<vector>(job, f, places, x, y, count, inside);
    } else {
      samples = lumas<vector>(f, job.format, x, y, count, whole);
    }
    std::uint32_t mask = 0;
#pragma unroll
    for (int j = 0; j < vector; j++) {
      const Dither dither(pixel + j, job.first_frame + frame);
      const T sample = value_of(samples, j, Codec::offset);
      // At the rate 0 and the scale 1 nothing of a pixel changes: so it is for one outside of the frame.
      const bool seen = inside >> j & 1u;
      const T a = seen ? f.rate[kind] : T(0);
      Gaussian<T> g[K];
#pragma unroll
      for (int k = 0; k < K; k++) g[k] = Codec::decode(code[k][j]);
      const Outcome outcome = update<Codec, K>(g, sample, a, job.rules, moved);
      if (!outcome.matched & (a > 0)) replace<T, K>(g, sample, job.rules, moved);
      const T scale = seen ? normaliser<Codec, K>(g) : T(1);
      std::uint32_t label = outcome.background ? 0u : 255u;
      if (!outcome.background & job.rules.detect_shadows &&
          in_shadow<T, K>(g, scale, sample, Codec::offset, job.rules))
        label = job.rules.shadow_value;
      mask |= seen ? label << (8 * j) : 0u;
#pragma unroll
      for (int k = 0; k < K; k++) {
        const auto before = code[k][j];
        code[k][j] = Codec::encode(g[k], scale, dither);
        changed[k] |= Codec::change(before, code[k][j]);
      }
    }
    if (vector == 4 && together) {
      *reinterpret_cast<std::uint32_t *>(row_of(f.mask, f.mask_stride, first.y) + first.x) = mask;
      continue;
    }
#pragma unroll
    for (int j = 0; j < vector; j++) {
      if (j >= count) break;
      const Place at = places(x + j, y);
      row_of(f.mask, f.mask_stride, at.y)[at.x] = static_cast<std::uint8_t>(byte_of(mask, j));
    }
  }
#pragma unroll
  for (int k = 0; k < K; k++) Codec::store(job.store, K, k, spot, code[k], moved[k], changed[k]);
}

template <class Codec>
void apply_mog(const Work &work, cudaStream_t stream) {
  using T = typename Codec::Real;
  Constants c = work.constants;
  c.weight_threshold *= Codec::whole;
  c.initial_weight *= Codec::whole;
  if constexpr (std::is_same_v<Codec, CompactMog>) {
    c.min_variance = std::clamp<double>(c.min_variance, Codec::least_variance, Codec::greatest_variance);
    c.initial_variance =
        std::clamp<double>(c.initial_variance, Codec::least_variance, Codec::greatest_variance);
  }
  const Launch size(work.config.width, work.config.height, Codec::vector);
  Job<T> job(work, size.grid, Codec::vector);
  job.rules = Rules<T>(c);
  const bool shifted = std::ranges::any_of(work.group, [](const Step &s) { return s.shift != nullptr; });
  with_components(work.config.components, [&](auto k) {
    const auto kernel =
        shifted ? job.count == 1 ? mog_kernel<Codec, k(), true, true> : mog_kernel<Codec, k(), false, true>
        : job.count == 1 ? mog_kernel<Codec, k(), true, false>
                         : mog_kernel<Codec, k(), false, false>;
    launch(kernel, size, stream, job);
  });
}

} // namespace vigil::mog::cuda
