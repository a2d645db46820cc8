// SPDX-License-Identifier: LGPL-2.1-or-later
// Shadows (mog.h) in vectors.
#if defined(VIGIL_MOG_CPU_SHADOW_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef VIGIL_MOG_CPU_SHADOW_INL_H
#undef VIGIL_MOG_CPU_SHADOW_INL_H
#else
#define VIGIL_MOG_CPU_SHADOW_INL_H
#endif

#include "kernels/mog/cpu/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace vigil::mog::cpu::HWY_NAMESPACE {

// One component's judgement of the samples in `asked`.
template <class Codec, int channels>
struct Shadow {
  using D = typename Codec::D;
  using T = typename Codec::T;
  using V = typename Codec::V;
  using M = hn::Mask<D>;
  M shadow; // a darker copy of this component
  M black;  // the component has no brightness to compare with

  HWY_INLINE Shadow(const Gaussian<Codec, channels> &g, const V *x, M asked, const Constants &constants) {
    const D d;
    V n = hn::Zero(d), q = hn::Zero(d);
    for (int c = 0; c < channels; c++) {
      const V zero = hn::Set(d, static_cast<T>(constants.zero[c]));
      const V m = hn::Sub(g.mean[c], zero);
      n = hn::MulAdd(hn::Sub(x[c], zero), m, n);
      q = hn::MulAdd(m, m, q);
    }
    black = hn::And(asked, hn::Eq(q, hn::Zero(d)));
    const M dark =
        hn::And(hn::Le(n, q), hn::Ge(n, hn::Mul(hn::Set(d, T(constants.deep_shadow_threshold)), q)));
    shadow = hn::AndNot(black, hn::And(asked, dark));
    if (hn::AllFalse(d, shadow)) return;
    const V t = hn::Div(n, hn::IfThenElse(shadow, q, hn::Set(d, T(1))));
    V d2 = hn::Zero(d);
    for (int c = 0; c < channels; c++) {
      const V zero = hn::Set(d, static_cast<T>(constants.zero[c]));
      const V e = hn::Sub(hn::Mul(t, hn::Sub(g.mean[c], zero)), hn::Sub(x[c], zero));
      d2 = hn::MulAdd(e, e, d2);
    }
    const M pale = hn::Ge(n, hn::Mul(hn::Set(d, T(constants.shadow_threshold)), q));
    const V own2 = hn::Mul(hn::Set(d, T(constants.shadow2)), g.variance);
    if constexpr (channels == 3) { // a deep one is known by its colour
      const V colourless2 = hn::Set(d, static_cast<T>(constants.colourless2));
      const M grey = hn::And(hn::Lt(chroma2(x, constants), colourless2),
                             hn::Lt(chroma2(g.mean, constants), colourless2));
      shadow = hn::AndNot(hn::AndNot(pale, grey), shadow);
    }
    const V within2 = hn::IfThenElse(pale, own2, hn::Min(own2, hn::Set(d, T(constants.deep_shadow2))));
    const V limit = hn::Mul(within2, hn::Mul(t, t));
    shadow = hn::And(shadow, hn::Lt(d2, limit));
  }

 private:
  // The squared distance from grey, as mog.h's.
  static HWY_INLINE V chroma2(const V *v, const Constants &constants) {
    const D d;
    if (constants.zero[1] != 0) {
      const V zero = hn::Set(d, static_cast<T>(constants.zero[1]));
      const V first = hn::Sub(v[1], zero), second = hn::Sub(v[2], zero);
      return hn::MulAdd(first, first, hn::Mul(second, second));
    }
    const V rg = hn::Sub(v[0], v[1]), gb = hn::Sub(v[1], v[2]), br = hn::Sub(v[2], v[0]);
    const V sum = hn::MulAdd(rg, rg, hn::MulAdd(gb, gb, hn::Mul(br, br)));
    return hn::Mul(sum, hn::Set(d, static_cast<T>(1. / 3)));
  }
};

} // namespace vigil::mog::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
