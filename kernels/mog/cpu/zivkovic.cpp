// SPDX-License-Identifier: LGPL-2.1-or-later
// Method zivkovic (mog.h) in vectors: lanes are pixels, and each turn of the loop over components works with
// those lanes that still need it. Components that no lane uses are neither read nor written.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/mog/cpu/zivkovic.cpp"
#include "common/cpu/targets.h"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/mog/cpu/shadow-inl.h"
#include "kernels/mog/cpu/walk-inl.h"

HWY_BEFORE_NAMESPACE();
namespace vigil::mog::cpu::HWY_NAMESPACE {

template <class CodecOf, int channel_count>
class Zivkovic {
 public:
  using Codec = CodecOf;
  static constexpr int channels = channel_count;
  using D = typename Codec::D;
  using T = typename Codec::T;
  using V = typename Codec::V;
  using M = hn::Mask<D>;
  using State = Pixels<typename Codec::Stored>;
  using G = Gaussian<Codec, channels>;
  using Dither = typename Codec::Dither;

  Zivkovic(const Config &config, const Constants &c)
      : constants_(c), components_(config.components), match2_(set(c.match2)),
        background2_(set(c.background2)), ratio_(set(c.background_ratio)), prior_(set(c.complexity_prior)),
        initial_(set(c.initial_variance)), min_(set(c.min_variance)), max_(set(c.max_variance)) {}

  HWY_INLINE V step(const State &state, const V *x, V a, const Dither &dither) const {
    const V keep = hn::Sub(set(1), a), prune = hn::Mul(a, prior_);
    const V before = from_bytes(d, state.active);
    V active = before, total = hn::Zero(d);
    M owned = no_lane(d), background = no_lane(d);
    if (constants_.background_by_deviation) background = background_of(state, x, before);
    V w[max_components];
    w[0] = hn::Zero(d);
    if (hn::AllTrue(d, hn::Eq(active, set(1))) && step_single(state, x, a, keep, prune, background, dither)) {
      w[0] = set(1);
      return mask_of(state, w, x, background, active, 1);
    }
    int used = 0; // components that a lane uses
    for (; used < components_; used++) {
      const int k = used;
      const M live = hn::Lt(set(k), active);
      if (hn::AllFalse(d, live)) break;
      w[k] = hn::MulSub(Codec::weight(state.weight(k)), keep, prune);
      const M searching = hn::AndNot(owned, live);
      M own = no_lane(d);
      if (!hn::AllFalse(d, searching)) {
        G g(state.gaussian(k));
        const V d2 = g.distance2(x);
        const M near = hn::And(hn::Lt(total, ratio_), hn::Lt(d2, hn::Mul(background2_, g.variance)));
        if (!constants_.background_by_deviation) background = hn::Or(background, hn::And(searching, near));
        own = hn::And(searching, hn::Lt(d2, hn::Mul(match2_, g.variance)));
        if (!hn::AllFalse(d, own)) {
          w[k] = hn::IfThenElse(own, hn::Add(w[k], a), w[k]);
          update(g, own, x, d2, a, w[k]);
          g.put(dither, state.gaussian(k));
          owned = hn::Or(owned, own);
        }
      }
      const V weight_before = w[k]; // decides the owner's place, even when the weight is dropped
      const M dies = hn::And(live, hn::Lt(w[k], prune));
      active = hn::IfThenElse(dies, hn::Sub(active, set(1)), active);
      w[k] = hn::IfThenElseZero(hn::AndNot(dies, live), w[k]);
      total = hn::Add(total, w[k]);
      move_up(state, w, own, weight_before, k, dither);
    }

    const M some = hn::Gt(total, hn::Zero(d));
    const V scale = hn::IfThenElse(some, hn::Div(set(1), total), set(1));
    const M whole = hn::And(some, hn::Eq(w[0], total)); // w/w is 1, but w * (1/w) need not be
    for (int k = 0; k < used; k++) w[k] = hn::Mul(w[k], scale);
    w[0] = hn::IfThenElse(whole, set(1), w[0]);
    const M fresh = hn::AndNot(owned, hn::Gt(a, hn::Zero(d)));
    if (!hn::AllFalse(d, fresh)) used = add_component(state, w, x, a, keep, fresh, active, used, dither);
    for (int k = 0; k < used; k++) Codec::put_weight(w[k], dither, state.weight(k));
    if (!hn::AllTrue(d, hn::Eq(active, before))) to_bytes(d, active, state.active);

    return mask_of(state, w, x, background, active, used);
  }

 private:
  static HWY_INLINE V set(double v) { return hn::Set(D(), static_cast<T>(v)); }

  // By weight over deviation. Its square is compared: w / sqrt(v) > w' / sqrt(v') where w^2 v' > w'^2 v.
  HWY_INLINE M background_of(const State &state, const V *x, V active) const {
    V w[max_components], v[max_components];
    M near[max_components], background = no_lane(d);
    int used = 0;
    for (; used < components_; used++) {
      const M live = hn::Lt(set(used), active);
      if (hn::AllFalse(d, live)) break;
      const G g(state.gaussian(used));
      w[used] = hn::IfThenElseZero(live, Codec::weight(state.weight(used)));
      v[used] = g.variance;
      near[used] = hn::And(live, hn::Lt(g.distance2(x), hn::Mul(background2_, g.variance)));
    }
    for (int k = 0; k < used; k++) {
      V before = hn::Zero(d);
      for (int j = 0; j < used; j++) {
        if (j == k) continue;
        const V there = hn::Mul(hn::Mul(w[j], w[j]), v[k]), here = hn::Mul(hn::Mul(w[k], w[k]), v[j]);
        const M first = j < k ? hn::Ge(there, here) : hn::Gt(there, here);
        before = hn::Add(before, hn::IfThenElseZero(first, w[j]));
      }
      background = hn::Or(background, hn::And(near[k], hn::Lt(before, ratio_)));
    }
    return background;
  }

  // The whole step where every lane has one component, and it owns the sample: where nothing moves, nearly
  // always. Its weight becomes 1. Does nothing and returns false where it does not own a sample, or would be
  // dropped.
  HWY_INLINE bool step_single(const State &state, const V *x, V a, V keep, V prune, M &background,
                              const Dither &dither) const {
    const V before = Codec::weight(state.weight(0));
    const V weight = hn::Add(hn::MulSub(before, keep, prune), a);
    G g(state.gaussian(0));
    const V d2 = g.distance2(x);
    const M own = hn::And(hn::Lt(d2, hn::Mul(match2_, g.variance)), hn::Ge(weight, prune));
    if (!hn::AllTrue(d, own)) return false;
    background = hn::And(hn::Gt(ratio_, hn::Zero(d)), hn::Lt(d2, hn::Mul(background2_, g.variance)));
    update(g, own, x, d2, a, weight);
    g.put(dither, state.gaussian(0));
    if (!hn::AllTrue(d, hn::Eq(before, set(Codec::whole_weight))))
      Codec::put_weight(set(1), dither, state.weight(0));
    return true;
  }

  HWY_INLINE V mask_of(const State &state, const V *w, const V *x, M background, V active, int used) const {
    const V mask = hn::IfThenZeroElse(background, set(255));
    if (!constants_.detect_shadows || hn::AllTrue(d, background)) return mask;
    const M shadow = shadows(state, w, x, hn::Not(background), active, used);
    return hn::IfThenElse(shadow, set(constants_.shadow_value), mask);
  }

  // The owner's mean and variance, in the lanes `own`.
  HWY_INLINE void update(G &g, M own, const V *x, V d2, V a, V weight) const {
    // min(a/w, 1); the last term is for 0/0
    const V rate = hn::IfThenElseZero(own, hn::Div(a, hn::Max(hn::Max(weight, a), hn::Set(d, T(1e-30)))));
    for (int c = 0; c < channels; c++) g.mean[c] = hn::MulAdd(rate, hn::Sub(x[c], g.mean[c]), g.mean[c]);
    const V v = hn::MulAdd(rate, hn::Sub(d2, g.variance), g.variance);
    g.variance = hn::IfThenElse(own, hn::Min(hn::Max(v, min_), max_), g.variance);
  }

  // Components k and k-1 change places in the lanes `mask`.
  HWY_INLINE void swap(const State &state, V *w, int k, M mask, const Dither &dither) const {
    G here(state.gaussian(k)), above(state.gaussian(k - 1));
    const G copy = here;
    here.take(mask, above);
    above.take(mask, copy);
    here.put(dither, state.gaussian(k));
    above.put(dither, state.gaussian(k - 1));
    const V weight = w[k];
    w[k] = hn::IfThenElse(mask, w[k - 1], w[k]);
    w[k - 1] = hn::IfThenElse(mask, weight, w[k - 1]);
  }

  // The owner at k moves up past every predecessor that is not heavier than `weight`.
  HWY_INLINE void move_up(const State &state, V *w, M moving, V weight, int k, const Dither &dither) const {
    for (; k > 0; k--) {
      moving = hn::And(moving, hn::Ge(weight, w[k - 1]));
      if (hn::AllFalse(d, moving)) return;
      swap(state, w, k, moving, dither);
    }
  }

  // A component for the samples that no other owns; returns how many components the lanes use now.
  HWY_INLINE int add_component(const State &state, V *w, const V *x, V a, V keep, M fresh, V &active,
                               int used, const Dither &dither) const {
    const V place = hn::Min(active, set(components_ - 1));
    if (used < components_) w[used++] = hn::Zero(d);
    for (int k = 0; k < used; k++) {
      w[k] = hn::IfThenElse(fresh, hn::Mul(w[k], keep), w[k]);
      const M here = hn::And(fresh, hn::Eq(place, set(k)));
      if (hn::AllFalse(d, here)) continue;
      w[k] = hn::IfThenElse(here, k == 0 ? set(1) : a, w[k]);
      G g(state.gaussian(k));
      g.take(here, initial_, x);
      g.put(dither, state.gaussian(k));
    }
    active = hn::IfThenElse(fresh, hn::Add(place, set(1)), active);
    M moving = no_lane(d);
    for (int k = used - 1; k > 0; k--) {
      moving = hn::Or(moving, hn::And(fresh, hn::Eq(place, set(k))));
      moving = hn::And(moving, hn::Ge(w[k], w[k - 1]));
      if (!hn::AllFalse(d, moving)) swap(state, w, k, moving, dither);
    }
    return used;
  }

  HWY_INLINE M shadows(const State &state, const V *w, const V *x, M asked, V active, int used) const {
    M found = no_lane(d);
    V total = hn::Zero(d);
    for (int k = 0; k < used; k++) {
      asked = hn::And(asked, hn::Lt(set(k), active));
      if (hn::AllFalse(d, asked)) break;
      const Shadow<Codec, channels> judged(G(state.gaussian(k)), x, asked, constants_);
      found = hn::Or(found, judged.shadow);
      total = hn::Add(total, w[k]);
      asked = hn::AndNot(hn::Or(hn::Or(judged.shadow, judged.black), hn::Gt(total, ratio_)), asked);
    }
    return found;
  }

  static constexpr D d{};
  const Constants &constants_;
  const int components_;
  const V match2_, background2_, ratio_, prior_, initial_, min_, max_;
};

void zivkovic_rows(const Job &job, int first, int last) {
  const bool colour = job.config.channels == 3;
  switch (job.config.precision) {
  case Precision::single:
    return colour ? apply_rows<Zivkovic<Plain<float>, 3>>(job, first, last)
                  : apply_rows<Zivkovic<Plain<float>, 1>>(job, first, last);
  case Precision::double_:
    return colour ? apply_rows<Zivkovic<Plain<double>, 3>>(job, first, last)
                  : apply_rows<Zivkovic<Plain<double>, 1>>(job, first, last);
  case Precision::compact:
    return colour ? apply_rows<Zivkovic<Compact, 3>>(job, first, last)
                  : apply_rows<Zivkovic<Compact, 1>>(job, first, last);
  }
}

} // namespace vigil::mog::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace vigil::mog::cpu {
HWY_EXPORT(zivkovic_rows);
void apply_zivkovic(const Job &job, int first, int last) {
  HWY_DYNAMIC_DISPATCH(zivkovic_rows)(job, first, last);
}
} // namespace vigil::mog::cpu
#endif
