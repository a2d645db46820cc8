// SPDX-License-Identifier: LGPL-2.1-or-later
// Method zivkovic of mog.h: one thread a pixel.
//
// Memory decides the time. Of a pixel's components only those in use are touched; mean and variance are read up to the
// owner and written only where they changed; the first component and both first weights are fetched before it is
// known how many there are, so that most pixels wait for memory once.
#pragma once

#include "kernels/mog/cuda/storage.cuh"

namespace vigil::mog::cuda {

template <class T>
__device__ inline void exchange(T &a, T &b) {
  const T t = a;
  a = b;
  b = t;
}

// The components of one pixel in registers. All loops over k are unrolled: an index that is known at run time only would
// move the arrays to local memory.
template <class S, int C>
struct Pixel {
  using Real = typename S::Real;
  static constexpr int K = max_components;
  Real weight[K];
  Gaussian<Real, C> g[K];
  int active;
  int loaded;     // components 0..loaded-1 are in g
  unsigned dirty; // bit k: g[k] differs from memory

  const typename S::Word *words; // this pixel's first component in memory
  std::size_t plane;

  template <int k>
  __device__ void fetch() {
    if (loaded <= k) {
      g[k] = S::unpack(words[k * plane]);
      loaded = k + 1;
    }
  }
};

template <class Real, int C>
__device__ inline Real distance2(const Real (&x)[C], const Gaussian<Real, C> &g) {
  Real sum = 0;
#pragma unroll
  for (int c = 0; c < C; c++) sum += (x[c] - g.mean[c]) * (x[c] - g.mean[c]);
  return sum;
}

template <int Begin, int End, class Fn>
__device__ inline void each(Fn &&fn) {
  if constexpr (Begin < End) {
    fn.template operator()<Begin>();
    each<Begin + 1, End>(fn);
  }
}

// The component at k moves up past all predecessors that are not heavier.
template <int k, class S, int C>
__device__ inline void move_up(Pixel<S, C> &p, typename S::Real weight) {
  bool moving = true;
#pragma unroll
  for (int to = k; to > 0; to--) {
    moving = moving && weight >= p.weight[to - 1];
    if (moving) {
      exchange(p.weight[to], p.weight[to - 1]);
      exchange(p.g[to], p.g[to - 1]);
      p.dirty |= 3u << (to - 1);
    }
  }
}

template <class S, int C>
__device__ bool in_shadow(Pixel<S, C> &p, const typename S::Real (&x)[C],
                          const Numbers<typename S::Real> &c) {
  using Real = typename S::Real;
  Real total = 0;
  bool done = false, shadow = false;
  each<0, max_components>([&]<int k>() {
    if (done || k >= p.active) return;
    p.template fetch<k>();
    Real n = 0, q = 0;
#pragma unroll
    for (int i = 0; i < C; i++) {
      const Real m = p.g[k].mean[i] - c.zero[i];
      n += (x[i] - c.zero[i]) * m;
      q += m * m;
    }
    if (q == 0) {
      done = true;
      return;
    }
    if (n <= q && n >= c.shadow_threshold * q) {
      const Real t = n / q;
      Real d2 = 0;
#pragma unroll
      for (int i = 0; i < C; i++) {
        const Real d = t * (p.g[k].mean[i] - c.zero[i]) - (x[i] - c.zero[i]);
        d2 += d * d;
      }
      if (d2 < c.background2 * p.g[k].variance * t * t) {
        shadow = done = true;
        return;
      }
    }
    total += p.weight[k];
    if (total > c.background_ratio) done = true;
  });
  return shadow;
}

// One frame's sample x: classifies and learns.
template <class S, int C>
__device__ std::uint8_t step(Pixel<S, C> &p, const typename S::Real (&x)[C], typename S::Real a, int K,
                             const Numbers<typename S::Real> &c, std::uint32_t pixel, std::uint32_t frame) {
  using Real = typename S::Real;
  const Real keep = 1 - a, prune = a * c.complexity_prior;
  bool owned = false, background = false;
  Real total = 0;
  each<0, max_components>([&]<int k>() {
    if (k >= p.active) return;
    Real w = keep * p.weight[k] - prune;
    bool owner = false;
    if (!owned) {
      p.template fetch<k>();
      Gaussian<Real, C> &g = p.g[k];
      const Real d2 = distance2(x, g);
      background = background || (total < c.background_ratio && d2 < c.background2 * g.variance);
      if (d2 < c.match2 * g.variance) {
        owned = owner = true;
        w += a;
        const Real rate = w > a ? a / w : a > 0 ? Real(1) : Real(0);
#pragma unroll
        for (int i = 0; i < C; i++) g.mean[i] += rate * (x[i] - g.mean[i]);
        g.variance = min(max(g.variance + rate * (d2 - g.variance), c.min_variance), c.max_variance);
        p.dirty |= 1u << k;
      }
    }
    const Real place = w;
    const bool dies = w < prune;
    if (dies) w = 0;
    total += w;
    p.weight[k] = w;
    if (owner) move_up<k>(p, place);
    if (dies) p.active--;
  });
  const Real scale = total > 0 ? 1 / total : Real(1);
  each<0, max_components>([&]<int k>() {
    if (k < p.active) p.weight[k] *= scale;
  });
  if (!owned && a > 0) {
    const int at = min(p.active, K - 1);
    p.active = at + 1;
    p.loaded = max(p.loaded, p.active);
    each<0, max_components>([&]<int k>() {
      if (k < at) p.weight[k] *= keep;
      if (k == at) {
        p.weight[k] = k == 0 ? Real(1) : a;
#pragma unroll
        for (int i = 0; i < C; i++) p.g[k].mean[i] = x[i];
        p.g[k].variance = c.initial_variance;
        p.dirty |= 1u << k;
        move_up<k>(p, p.weight[k]);
      }
    });
  }
  if constexpr (S::rounds) {
    each<0, max_components>([&]<int k>() {
      if (k >= p.active) return;
      if (p.dirty >> k & 1) S::round(p.g[k], random_bits(pixel, frame, k));
      p.weight[k] = S::round_weight(p.weight[k], random_bits(pixel, frame, 5) >> (5 * k));
    });
  }
  if (background) return 0;
  return c.detect_shadows && in_shadow(p, x, c) ? c.shadow_value : 255;
}

// Blocks of 32 x 4 pixels: a warp works on neighbours of one row.
template <class S, int C, int Frames>
__global__ void __launch_bounds__(128)
    zivkovic_kernel(const __grid_constant__ Args<typename S::Real, Frames> args) {
  using Real = typename S::Real;
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y;
  if (x >= args.width || y >= args.height) return;
  const std::size_t i = std::size_t(y) * args.store.pitch + x;
  auto *const words = static_cast<typename S::Word *>(args.store.gaussian) + i;
  auto *const weights = static_cast<typename S::Weight *>(args.store.weight) + i;
  const std::size_t plane = args.store.plane;

  Pixel<S, C> p;
  p.words = words;
  p.plane = plane;
  p.dirty = 0;
  Real value[C];
  sample(args.frame[0], args.format, x, y, value);
  p.active = args.store.active[i];
  const typename S::Word first = words[0];
  const typename S::Weight w0 = weights[0], w1 = args.components > 1 ? weights[plane] : typename S::Weight{};
  const int was_active = p.active;
  p.g[0] = S::unpack(first);
  p.loaded = 1;
  p.weight[0] = S::weight(w0);
  p.weight[1] = S::weight(w1);
  each<2, max_components>([&]<int k>() {
    if (k < p.active) p.weight[k] = S::weight(weights[k * plane]);
  });

#pragma unroll 1
  for (int f = 0; f < (Frames == 1 ? 1 : args.count); f++) {
    const Frame &frame = args.frame[f];
    if (f > 0) sample(frame, args.format, x, y, value);
    const Real a = rate_at<Real>(frame, args.rates, x, y);
    const unsigned before = p.dirty;
    p.dirty = 0; // of this frame, for the rounding
    const std::uint8_t label = step(p, value, a, args.components, args.c, std::uint32_t(i), frame.number);
    p.dirty |= before;
    frame.mask[std::ptrdiff_t(y) * frame.mask_stride + x] = label;
  }

  each<0, max_components>([&]<int k>() {
    if (k >= p.active) return;
    weights[k * plane] = S::pack_weight(p.weight[k]);
    if (p.dirty >> k & 1) words[k * plane] = S::pack(p.g[k]);
  });
  if (p.active != was_active) args.store.active[i] = std::uint8_t(p.active);
}

template <class S, int C>
__global__ void zivkovic_background(Store store, int width, int height, Image out) {
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y;
  if (x >= width || y >= height) return;
  const std::size_t i = std::size_t(y) * store.pitch + x;
  const auto g =
      S::unpack(static_cast<const typename S::Word *>(store.gaussian)[i]); // the heaviest comes first
  float m[C];
  for (int c = 0; c < C; c++) m[c] = float(g.mean[c]);
  put_background(out, x, y, m, store.active[i] > 0);
}

// Between the canonical arrays and the store; Load says which way.
template <class S, int C, bool Load>
__global__ void zivkovic_transfer(Store store, int width, int height, int components, Canonical canonical) {
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y;
  if (x >= width || y >= height) return;
  using Real = typename S::Real;
  const std::size_t i = std::size_t(y) * store.pitch + x, n = std::size_t(width) * height,
                    at = std::size_t(y) * width + x;
  if constexpr (Load) store.active[i] = canonical.active[at];
  const int active = store.active[i];
  if constexpr (!Load) canonical.active[at] = std::uint8_t(active);
  for (int k = 0; k < components; k++) {
    auto &word = static_cast<typename S::Word *>(store.gaussian)[k * store.plane + i];
    auto &weight = static_cast<typename S::Weight *>(store.weight)[k * store.plane + i];
    Gaussian<Real, C> g{};
    if constexpr (Load) {
      for (int c = 0; c < C; c++)
        g.mean[c] = Real(min(max(canonical.mean[(k * C + c) * n + at], 0.f), 255.f));
      g.variance = Real(canonical.variance[k * n + at]);
      word = S::pack(g);
      weight = S::pack_weight(Real(min(canonical.weight[k * n + at], 1.f)));
    } else {
      const bool used = k < active;
      if (used) g = S::unpack(word);
      for (int c = 0; c < C; c++) canonical.mean[(k * C + c) * n + at] = float(g.mean[c]);
      canonical.variance[k * n + at] = float(g.variance);
      canonical.weight[k * n + at] = used ? float(S::weight(weight)) : 0.f;
    }
  }
}

inline dim3 tiles(int width, int height) {
  return {unsigned(width + 31) / 32, unsigned(height + 3) / 4, 1};
}

template <class S, int C>
Kernels zivkovic_kernels_for() {
  using Real = typename S::Real;
  const auto apply = [](const Args<double, max_group> &a, cudaStream_t stream) {
    const dim3 grid = tiles(a.width, a.height), block(32, 4);
    if (a.count == 1)
      zivkovic_kernel<S, C, 1><<<grid, block, 0, stream>>>(convert<Real, 1>(a));
    else
      zivkovic_kernel<S, C, max_group><<<grid, block, 0, stream>>>(convert<Real, max_group>(a));
  };
  const auto background = [](const Store &s, const Config &c, Image out, cudaStream_t stream) {
    zivkovic_background<S, C>
        <<<tiles(c.width, c.height), dim3(32, 4), 0, stream>>>(s, c.width, c.height, out);
  };
  const auto save = [](const Store &s, const Config &c, Canonical to, cudaStream_t stream) {
    zivkovic_transfer<S, C, false>
        <<<tiles(c.width, c.height), dim3(32, 4), 0, stream>>>(s, c.width, c.height, c.components, to);
  };
  const auto load = [](const Store &s, const Config &c, Canonical from, cudaStream_t stream) {
    zivkovic_transfer<S, C, true>
        <<<tiles(c.width, c.height), dim3(32, 4), 0, stream>>>(s, c.width, c.height, c.components, from);
  };
  return {sizeof(typename S::Word), sizeof(typename S::Weight), apply, background, save, load};
}

} // namespace vigil::mog::cuda
