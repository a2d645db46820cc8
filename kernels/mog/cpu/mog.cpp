// SPDX-License-Identifier: LGPL-2.1-or-later
// Method mog (mog.h) in vectors: lanes are pixels. Components beyond the last that a lane uses are neither
// read nor written, and means and variances are written only where a lane matches.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/mog/cpu/mog.cpp"
#include "common/cpu/targets.h"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/mog/cpu/shadow-inl.h"
#include "kernels/mog/cpu/walk-inl.h"

HWY_BEFORE_NAMESPACE();
namespace vigil::mog::cpu::HWY_NAMESPACE {

template <class CodecOf>
class FixedMixture {
 public:
  using Codec = CodecOf;
  static constexpr int channels = 1;
  using D = typename Codec::D;
  using T = typename Codec::T;
  using V = typename Codec::V;
  using M = hn::Mask<D>;
  using State = Pixels<typename Codec::Stored>;
  using G = Gaussian<Codec, 1>;
  using Dither = typename Codec::Dither;

  FixedMixture(const Config &config, const Constants &c)
      : constants_(c), components_(config.components), match2_(set(c.match2)),
        threshold_(set(c.weight_threshold)), initial_variance_(set(c.initial_variance)),
        initial_weight_(set(c.initial_weight)), min_(set(c.min_variance)) {}

  HWY_INLINE V step(const State &state, const V *x, V a, const Dither &dither) const {
    const V keep = hn::Sub(set(1), a);
    V bound = from_bytes(d, state.active); // one more than the last component in use
    V least = set(2), lightest = hn::Zero(d), total = hn::Zero(d);
    M matched = no_lane(d), background = no_lane(d);
    V w[max_components];
    int used = 0; // components that a lane uses
    for (; used < components_; used++) {
      const int k = used;
      const M live = hn::Lt(set(k), bound);
      if (hn::AllFalse(d, live)) break;
      w[k] = hn::IfThenElseZero(live, Codec::weight(state.weight(k)));
      G g(state.gaussian(k));
      const V diff = hn::Sub(x[0], g.mean[0]);
      const V d2 = hn::Mul(diff, diff);
      const M match = hn::And(hn::Gt(w[k], hn::Zero(d)), hn::Lt(d2, hn::Mul(match2_, g.variance)));
      w[k] = hn::Mul(w[k], keep);
      if (!hn::AllFalse(d, match)) {
        w[k] = hn::IfThenElse(match, hn::Add(w[k], a), w[k]);
        // min(a/w, 1); the last term is for 0/0
        const V rate = hn::IfThenElseZero(match, hn::Div(a, hn::Max(hn::Max(w[k], a), hn::Set(d, T(1e-30)))));
        g.mean[0] = hn::MulAdd(rate, diff, g.mean[0]);
        const V v = hn::Max(hn::MulAdd(rate, hn::Sub(d2, g.variance), g.variance), min_);
        g.variance = hn::IfThenElse(match, v, g.variance);
        g.put(dither, state.gaussian(k));
        background = hn::Or(background, hn::And(match, hn::Ge(w[k], threshold_)));
        matched = hn::Or(matched, match);
      }
      const M lighter = hn::Lt(w[k], least);
      least = hn::IfThenElse(lighter, w[k], least);
      lightest = hn::IfThenElse(lighter, set(k), lightest);
      total = hn::Add(total, w[k]);
    }

    const M fresh = hn::AndNot(matched, hn::Gt(a, hn::Zero(d)));
    if (!hn::AllFalse(d, fresh)) {
      if (used < components_) { // the next one has no weight yet
        const M lighter = hn::Lt(hn::Zero(d), least);
        least = hn::IfThenElseZero(hn::Not(lighter), least);
        lightest = hn::IfThenElse(lighter, set(used), lightest);
        w[used++] = hn::Zero(d);
      }
      for (int k = 0; k < used; k++) {
        const M here = hn::And(fresh, hn::Eq(lightest, set(k)));
        if (hn::AllFalse(d, here)) continue;
        w[k] = hn::IfThenElse(here, initial_weight_, w[k]);
        G g(state.gaussian(k));
        g.take(here, initial_variance_, x);
        g.put(dither, state.gaussian(k));
      }
      total = hn::IfThenElse(fresh, hn::Add(hn::Sub(total, least), initial_weight_), total);
      bound = hn::IfThenElse(fresh, hn::Max(bound, hn::Add(lightest, set(1))), bound);
      to_bytes(d, bound, state.active);
    }
    const V scale = hn::IfThenElse(hn::Gt(total, hn::Zero(d)), hn::Div(set(1), total), set(1));
    for (int k = 0; k < used; k++) {
      // A weight that is too small for its store must not become zero: its component would be a new one.
      const V least_used = hn::IfThenElseZero(hn::Gt(w[k], hn::Zero(d)), set(Codec::least_weight));
      w[k] = hn::Max(hn::Mul(w[k], scale), least_used);
      Codec::put_weight(w[k], dither, state.weight(k));
    }

    V mask = hn::IfThenZeroElse(background, set(255));
    if (constants_.detect_shadows && !hn::AllTrue(d, background))
      mask = hn::IfThenElse(shadows(state, w, x, hn::Not(background), bound, used),
                            set(constants_.shadow_value), mask);
    return mask;
  }

 private:
  static HWY_INLINE V set(double v) { return hn::Set(D(), static_cast<T>(v)); }

  HWY_INLINE M shadows(const State &state, const V *w, const V *x, M asked, V bound, int used) const {
    M found = no_lane(d);
    for (int k = 0; k < used; k++) {
      const M now = hn::And(hn::And(asked, hn::Lt(set(k), bound)), hn::Ge(w[k], threshold_));
      if (hn::AllFalse(d, now)) continue;
      const Shadow<Codec, 1> judged(G(state.gaussian(k)), x, now, constants_);
      found = hn::Or(found, judged.shadow);
      asked = hn::AndNot(hn::Or(judged.shadow, judged.black), asked);
    }
    return found;
  }

  static constexpr D d{};
  const Constants &constants_;
  const int components_;
  const V match2_, threshold_, initial_variance_, initial_weight_, min_;
};

void mog_rows(const Job &job, int first, int last) {
  switch (job.config.precision) {
  case Precision::single:
    return apply_rows<FixedMixture<Plain<float>>>(job, first, last);
  case Precision::double_:
    return apply_rows<FixedMixture<Plain<double>>>(job, first, last);
  case Precision::compact:
    return apply_rows<FixedMixture<Compact>>(job, first, last);
  }
}

} // namespace vigil::mog::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace vigil::mog::cpu {
HWY_EXPORT(mog_rows);
void apply_mog(const Job &job, int first, int last) {
  HWY_DYNAMIC_DISPATCH(mog_rows)(job, first, last);
}
} // namespace vigil::mog::cpu
#endif
