// SPDX-License-Identifier: LGPL-2.1-or-later
// One pixel and one frame at each step of the papers, on either processor; for ladder.cpp and ladder.cu
// alone.
#pragma once

#include "tests/bench/mog/ladder.h"

#include <cmath>

// Loops over components are unrolled on a GPU, so that components stay in registers.
#ifdef __CUDACC__
#define VIGIL_UNROLL _Pragma("unroll")
#else
#define VIGIL_UNROLL
#endif

namespace vigil::mog::ladder {

// Constants in the precision of the arithmetic, and the frame's learning rate.
template <class T>
struct Settings {
  T rate, match2, weight_threshold, initial_weight, initial_variance, min_variance;
  T background2, background_ratio, complexity_prior, max_variance;

  Settings(const Constants &c, double learning_rate)
      : rate(T(learning_rate)), match2(T(c.match2)), weight_threshold(T(c.weight_threshold)),
        initial_weight(T(c.initial_weight)), initial_variance(T(c.initial_variance)),
        min_variance(T(c.min_variance)), background2(T(c.background2)),
        background_ratio(T(c.background_ratio)), complexity_prior(T(c.complexity_prior)),
        max_variance(T(c.max_variance)) {}
};

template <class T, int K>
struct Luma {
  T mean[K], weight[K], variance[K];
};

template <class T>
VIGIL_HOST_DEVICE void exchange(T &a, T &b) {
  const T c = a;
  a = b;
  b = c;
}

// Without a match the lightest component is replaced; then the weights are divided by their sum.
template <class T, int K>
VIGIL_HOST_DEVICE void finish(Luma<T, K> &g, T x, bool matched, const Settings<T> &s) {
  if (!matched) {
    int lightest = 0;
    T least = g.weight[0];
    VIGIL_UNROLL for (int k = 1; k < K; k++) if (g.weight[k] < least) {
      least = g.weight[k];
      lightest = k;
    }
    VIGIL_UNROLL for (int k = 0; k < K; k++) if (k == lightest) {
      g.mean[k] = x;
      g.weight[k] = s.initial_weight;
      g.variance[k] = s.initial_variance;
    }
  }
  T sum = 0;
  VIGIL_UNROLL for (int k = 0; k < K; k++) sum += g.weight[k];
  VIGIL_UNROLL for (int k = 0; k < K; k++) g.weight[k] /= sum;
}

// Algorithm 4: the update with a branch; keeps which components matched for the decision.
template <class T, int K>
VIGIL_HOST_DEVICE bool update_branching(Luma<T, K> &g, T x, const Settings<T> &s, bool (&match)[K]) {
  bool any = false;
  VIGIL_UNROLL for (int k = 0; k < K; k++) {
    const T d = x - g.mean[k];
    match[k] = g.weight[k] > 0 && d * d < s.match2 * g.variance[k];
    if (match[k]) {
      g.weight[k] = (1 - s.rate) * g.weight[k] + s.rate;
      const T r = s.rate / g.weight[k];
      g.mean[k] += r * d;
      g.variance[k] += r * (d * d - g.variance[k]);
      if (g.variance[k] < s.min_variance) g.variance[k] = s.min_variance;
      any = true;
    } else {
      g.weight[k] *= 1 - s.rate;
    }
  }
  return any;
}

// Algorithm 5: the update as arithmetic with a match of 0 or 1.
template <class T, int K>
VIGIL_HOST_DEVICE bool update_predicated(Luma<T, K> &g, T x, const Settings<T> &s, bool (&match)[K]) {
  bool any = false;
  VIGIL_UNROLL for (int k = 0; k < K; k++) {
    const T d = x - g.mean[k];
    match[k] = (g.weight[k] > 0) & (d * d < s.match2 * g.variance[k]);
    const T p = match[k] ? T(1) : T(0);
    const T w = (1 - s.rate) * g.weight[k] + p * s.rate;
    const T r = p * s.rate / (w > 0 ? w : T(1));
    const T v = g.variance[k] + r * (d * d - g.variance[k]);
    g.weight[k] = w;
    g.mean[k] = (1 - p) * g.mean[k] + p * (g.mean[k] + r * d);
    g.variance[k] = (1 - p) * g.variance[k] + p * (v < s.min_variance ? s.min_variance : v);
    any |= match[k];
  }
  return any;
}

// Algorithm 2: components by rank, w / sd, highest first, until one decides.
template <class T, int K>
VIGIL_HOST_DEVICE bool decide_sorted(Luma<T, K> &g, bool (&match)[K], const Settings<T> &s) {
  T rank[K];
  VIGIL_UNROLL for (int k = 0; k < K; k++) rank[k] =
      g.variance[k] > 0 ? g.weight[k] / std::sqrt(g.variance[k]) : T(0);
  VIGIL_UNROLL for (int i = 0; i < K - 1; i++)
      VIGIL_UNROLL for (int k = 0; k < K - 1 - i; k++) if (rank[k] < rank[k + 1]) {
    exchange(rank[k], rank[k + 1]);
    exchange(g.mean[k], g.mean[k + 1]);
    exchange(g.weight[k], g.weight[k + 1]);
    exchange(g.variance[k], g.variance[k + 1]);
    exchange(match[k], match[k + 1]);
  }
  VIGIL_UNROLL for (int k = 0; k < K; k++) if (g.weight[k] >= s.weight_threshold && match[k]) return true;
  return false;
}

// One sample; true when it is background.
template <Rung rung, class T, int K>
VIGIL_HOST_DEVICE bool learn(Luma<T, K> &g, T x, const Settings<T> &s) {
  if constexpr (rung < Rung::d) {
    bool match[K];
    const bool any = update_branching<T, K>(g, x, s, match);
    const bool background = decide_sorted<T, K>(g, match, s);
    finish<T, K>(g, x, any, s);
    return background;
  } else if constexpr (rung < Rung::f) {
    bool match[K], background = false;
    const bool any =
        rung == Rung::d ? update_branching<T, K>(g, x, s, match) : update_predicated<T, K>(g, x, s, match);
    VIGIL_UNROLL for (int k = 0; k < K; k++) // algorithm 3
        if (g.weight[k] >= s.weight_threshold && match[k]) {
      background = true;
      if (rung == Rung::d) break;
    }
    finish<T, K>(g, x, any, s);
    return background;
  } else { // nothing of one component is kept for later
    bool any = false, background = false;
    VIGIL_UNROLL for (int k = 0; k < K; k++) {
      const T d = x - g.mean[k];
      const bool match = (g.weight[k] > 0) & (d * d < s.match2 * g.variance[k]);
      const T w = (1 - s.rate) * g.weight[k] + (match ? s.rate : T(0));
      const T r = match ? s.rate / w : T(0);
      const T v = g.variance[k] + r * (d * d - g.variance[k]);
      g.weight[k] = w;
      g.mean[k] += r * d;
      if (match) g.variance[k] = v < s.min_variance ? s.min_variance : v;
      any |= match;
      background |= match & (w >= s.weight_threshold);
    }
    finish<T, K>(g, x, any, s);
    return background;
  }
}

// The mean of the heaviest component.
template <class T, int K>
T heaviest(const Luma<T, K> &g) {
  int best = 0;
  VIGIL_UNROLL for (int k = 1; k < K; k++) if (g.weight[k] > g.weight[best]) best = k;
  return g.mean[best];
}

template <int K>
struct Colour {
  int active;
  float weight[K], variance[K], mean[K][3];
};

template <int K>
VIGIL_HOST_DEVICE void move_up(Colour<K> &p, int k, float weight) {
  for (; k > 0 && weight >= p.weight[k - 1]; k--) {
    exchange(p.weight[k], p.weight[k - 1]);
    exchange(p.variance[k], p.variance[k - 1]);
    for (int c = 0; c < 3; c++) exchange(p.mean[k][c], p.mean[k - 1][c]);
  }
}

// Equations 1 to 6 of paper B; true when the sample is background.
template <int K>
VIGIL_HOST_DEVICE bool learn(Colour<K> &p, const float (&x)[3], const Settings<float> &s) {
  const float prune = s.rate * s.complexity_prior;
  bool owned = false, background = false;
  float total = 0;
  for (int k = 0; k < p.active; k++) {
    float w = (1 - s.rate) * p.weight[k] - prune;
    bool owner = false;
    if (!owned) {
      float d[3], d2 = 0;
      for (int c = 0; c < 3; c++) {
        d[c] = x[c] - p.mean[k][c];
        d2 += d[c] * d[c];
      }
      if (total < s.background_ratio && d2 < s.background2 * p.variance[k]) background = true;
      if (d2 < s.match2 * p.variance[k]) {
        owned = owner = true;
        w += s.rate;
        const float r = w > s.rate ? s.rate / w : 1.f;
        for (int c = 0; c < 3; c++) p.mean[k][c] += r * d[c];
        const float v = p.variance[k] + r * (d2 - p.variance[k]);
        p.variance[k] = v < s.min_variance ? s.min_variance : v > s.max_variance ? s.max_variance : v;
      }
    }
    const bool dies = w < prune;
    p.weight[k] = dies ? 0 : w;
    total += p.weight[k];
    if (owner) move_up<K>(p, k, w);
    if (dies) p.active--;
  }
  if (total > 0)
    for (int k = 0; k < p.active; k++) p.weight[k] /= total;
  if (!owned) {
    const int at = p.active < K ? p.active : K - 1;
    p.active = at + 1;
    for (int k = 0; k < at; k++) p.weight[k] *= 1 - s.rate;
    p.weight[at] = at == 0 ? 1.f : s.rate;
    p.variance[at] = s.initial_variance;
    for (int c = 0; c < 3; c++) p.mean[at][c] = x[c];
    move_up<K>(p, at, p.weight[at]);
  }
  return background;
}

std::unique_ptr<Ladder> make_on_device(Device &, const LadderConfig &); // ladder.cu

} // namespace vigil::mog::ladder
