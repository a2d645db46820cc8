// SPDX-License-Identifier: LGPL-2.1-or-later
// D2 in whole numbers, and the thresholds on M, for vectors of pixels. Included once for each instruction
// set, after highway.h.
#if defined(VIGIL_COLINEARSEG_EVIDENCE_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef VIGIL_COLINEARSEG_EVIDENCE_INL_H
#undef VIGIL_COLINEARSEG_EVIDENCE_INL_H
#else
#define VIGIL_COLINEARSEG_EVIDENCE_INL_H
#endif

#include <cstdint>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace vigil::colinearseg::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <class D>
using Words = hn::RebindToUnsigned<D>;
template <class D>
using Whole = hn::RebindToSigned<D>;

// Channel c of pixels of four bytes.
template <int c, class D>
HWY_INLINE hn::Vec<Whole<D>> channel(D, hn::Vec<Words<D>> pixels) {
  const Words<D> d;
  return hn::BitCast(Whole<D>(), hn::And(hn::ShiftRight<8 * c>(pixels), hn::Set(d, 255)));
}

// Of a pixel or of a window: whole numbers below 2^24, which floating point holds exactly.
template <class D>
struct Sums {
  hn::Vec<D> fore, back, cross;
};
template <class D>
HWY_INLINE Sums<D> add(const Sums<D> &a, const Sums<D> &b) {
  return {hn::Add(a.fore, b.fore), hn::Add(a.back, b.back), hn::Add(a.cross, b.cross)};
}
template <int c, class D>
HWY_INLINE Sums<D> add_channel(D d, hn::Vec<Words<D>> frame, hn::Vec<Words<D>> background, const Sums<D> &s) {
  const auto f = hn::ConvertTo(d, channel<c>(d, frame)), b = hn::ConvertTo(d, channel<c>(d, background));
  return {hn::MulAdd(f, f, s.fore), hn::MulAdd(b, b, s.back), hn::MulAdd(f, b, s.cross)};
}
template <class D>
HWY_INLINE Sums<D> products(D d, hn::Vec<Words<D>> frame, hn::Vec<Words<D>> background) {
  const auto none = hn::Zero(d);
  const Sums<D> red = add_channel<0>(d, frame, background, Sums<D>{none, none, none});
  return add_channel<2>(d, frame, background, add_channel<1>(d, frame, background, red));
}

// ceil(D2). Floating point gives it to within less than 1, so it is one of the four numbers from one below
// the floor of that; the sign of P decides, as shaders/evidence.glsl explains.
template <class D>
HWY_INLINE hn::Vec<Whole<D>> evidence(D d, const Sums<D> &s, int offset) {
  const Whole<D> di;
  const Words<D> du;
  const auto o = hn::Set(d, static_cast<float>(offset)), four = hn::Set(d, 4.f);
  const auto difference = hn::Sub(hn::Add(s.fore, s.back), hn::Add(s.cross, s.cross)); // |x_f - x_b|^2
  const auto determinant =
      hn::MulAdd(o, difference, hn::NegMulAdd(s.cross, s.cross, hn::Mul(s.fore, s.back)));
  const auto apart = hn::Sub(s.fore, s.back), together = hn::Add(s.cross, o);
  const auto root = hn::Sqrt(hn::MulAdd(apart, apart, hn::Mul(four, hn::Mul(together, together))));
  const auto sum = hn::Add(hn::Add(s.fore, s.back), hn::Add(hn::Add(o, o), root));
  const auto twice = hn::Add(determinant, determinant);
  auto t =
      hn::Sub(hn::ConvertTo(di, hn::Floor(hn::Div(twice, hn::Max(sum, hn::Set(d, 1.f))))), hn::Set(di, 1));

  const auto fore = hn::ConvertTo(di, s.fore), back = hn::ConvertTo(di, s.back),
             cross = hn::ConvertTo(di, s.cross), whole = hn::ConvertTo(di, difference);
  const auto product = [du](auto a, auto b)
                           HWY_ATTR { return hn::Mul(hn::BitCast(du, a), hn::BitCast(du, b)); };
  const auto rest = hn::Sub(whole, hn::Add(t, t));
  auto p =
      hn::BitCast(di, hn::Add(hn::Sub(product(hn::Sub(fore, t), hn::Sub(back, t)), product(cross, cross)),
                              product(hn::Set(di, offset), rest)));
  // P(t) - P(t + 1)
  auto less = hn::Sub(hn::Add(hn::Add(fore, back), hn::Set(di, 2 * offset - 1)), hn::Add(t, t));
  for (int i = 0; i < 3; i++) {
    const auto above = hn::Gt(p, hn::Zero(di));
    p = hn::Sub(p, hn::IfThenElseZero(above, less));
    t = hn::Sub(t, hn::VecFromMask(di, above));
    less = hn::Sub(less, hn::Set(di, 2));
  }
  return t;
}

// The least M that means changed, 13: never. `need` is Ts + 12 B - ceil(D2): changed <=> 2 B M > need. The
// quotient by the reciprocal is right to within 1.
template <class D>
HWY_INLINE hn::Vec<Whole<D>> least_neighbours(D d, hn::Vec<Whole<D>> need, int compactness) {
  const Whole<D> di;
  const auto never = hn::Set(di, 13);
  const auto negative = hn::Lt(need, hn::Zero(di));
  if (compactness == 0) return hn::IfThenZeroElse(negative, never);
  const auto twice = hn::Set(di, 2 * compactness);
  const auto reciprocal = hn::Set(d, 0.5f / static_cast<float>(compactness));
  auto quotient = hn::ConvertTo(di, hn::Min(hn::Mul(hn::ConvertTo(d, need), reciprocal), hn::Set(d, 13.f)));
  const auto rest = hn::Sub(need, hn::Mul(quotient, twice));
  quotient = hn::Sub(quotient, hn::VecFromMask(di, hn::Gt(rest, hn::Set(di, 2 * compactness - 1))));
  quotient = hn::Add(quotient, hn::VecFromMask(di, hn::Lt(rest, hn::Zero(di))));
  return hn::IfThenZeroElse(negative, hn::Min(hn::Add(quotient, hn::Set(di, 1)), never));
}

} // namespace vigil::colinearseg::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
