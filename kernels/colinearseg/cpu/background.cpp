// SPDX-License-Identifier: LGPL-2.1-or-later
// The background: learnt as a mean, and moved towards what shows it.
#include "kernels/colinearseg/cpu/rows.h"

#include <algorithm>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/colinearseg/cpu/background.cpp"
#include "common/cpu/targets.h"
#include <hwy/foreach_target.h> // must come before highway.h
#include <hwy/highway.h>

#include "kernels/colinearseg/cpu/evidence-inl.h"

HWY_BEFORE_NAMESPACE();
namespace vigil::colinearseg::cpu::HWY_NAMESPACE {
namespace {

using Floats = hn::ScalableTag<float>;
using Pixels = Words<Floats>;
using Pixel = hn::Vec<Pixels>;
using Changed = hn::Mask<Pixels>;

constexpr int strip = 64; // pixels, a word of labels

// Labels i, i + 1, ... of a word.
HWY_INLINE Changed changed_of(std::uint64_t labels, int i) {
  labels >>= i;
  std::uint8_t bytes[16] = {}; // as many as may be read
  std::memcpy(bytes, &labels, sizeof labels);
  return hn::LoadMaskBits(Pixels(), bytes);
}

// One channel of pixels: what next.exact() makes of the value, and next.level() of that.
template <int c, class Next>
HWY_INLINE Pixel channel_of(Pixel frame, Pixel background, Changed changed, std::uint32_t *exact,
                            const Next &next) {
  const Pixels d;
  const Pixel before = hn::Load(d, exact);
  const Pixel sample = hn::BitCast(d, channel<c>(Floats(), frame)),
              level = hn::BitCast(d, channel<c>(Floats(), background));
  const Pixel after = hn::IfThenElse(changed, before, next.exact(before, sample));
  hn::Store(after, d, exact);
  return hn::ShiftLeft<8 * c>(hn::IfThenElse(changed, level, next.level(after)));
}

template <class Next>
void follow(Rgba frame, const BitPlane *labels, Exact exact, Plane<std::uint8_t> background, int first,
            int last, const Next &next) {
  const Pixels d;
  for (int y = first; y < last; y++)
    for (int x = 0; x < frame.width; x += strip) {
      alignas(64) std::uint32_t f[strip] = {}, b[strip] = {};
      const std::size_t bytes = 4 * std::size_t(std::min(strip, frame.width - x));
      std::memcpy(f, frame.row(y) + 4 * std::ptrdiff_t{x}, bytes);
      std::memcpy(b, background.row(y) + 4 * std::ptrdiff_t{x}, bytes);
      const std::uint64_t word = labels ? labels->row(y)[x / 64] : 0;
      for (int i = 0; i < strip; i += int(hn::Lanes(d))) {
        const Changed changed = changed_of(word, i);
        const Pixel from = hn::Load(d, f + i), old = hn::Load(d, b + i);
        const auto at = [&](int c) { return exact.row(c, y) + x + i; };
        const Pixel colour = hn::Or(hn::Or(channel_of<0>(from, old, changed, at(0), next),
                                           channel_of<1>(from, old, changed, at(1), next)),
                                    channel_of<2>(from, old, changed, at(2), next));
        hn::Store(hn::Or(colour, hn::Set(d, 0xff000000)), d, b + i);
      }
      std::memcpy(background.row(y) + 4 * std::ptrdiff_t{x}, b, bytes);
    }
}

// Sums and their rounded mean. They are below 2^24, and a quotient of theirs that is no whole number is
// farther from one than the division's error.
struct Mean {
  int count;
  HWY_INLINE Pixel exact(Pixel before, Pixel sample) const { return hn::Add(before, sample); }
  HWY_INLINE Pixel level(Pixel sum) const {
    const Floats d;
    const Whole<Floats> di;
    const auto rounded = hn::BitCast(di, hn::Add(sum, hn::Set(Pixels(), std::uint32_t(count / 2))));
    return hn::BitCast(Pixels(),
                       hn::ConvertTo(di, hn::Div(hn::ConvertTo(d, rounded), hn::Set(d, float(count)))));
  }
};
// adapted() of colinearseg.h.
struct Towards {
  int rate;
  HWY_INLINE Pixel exact(Pixel before, Pixel sample) const {
    const Whole<Floats> di;
    const auto way = hn::BitCast(di, hn::Sub(hn::ShiftLeft<16>(sample), before));
    const auto step =
        hn::ShiftRight<7>(hn::Add(hn::Mul(hn::ShiftRight<8>(way), hn::Set(di, rate)), hn::Set(di, 64)));
    return hn::Add(before, hn::BitCast(Pixels(), step));
  }
  HWY_INLINE Pixel level(Pixel value) const {
    return hn::ShiftRight<16>(hn::Add(value, hn::Set(Pixels(), 32768)));
  }
};

void learn_rows(Rgba frame, Exact exact, int count, Plane<std::uint8_t> background, int first, int last) {
  follow(frame, nullptr, exact, background, first, last, Mean{count});
}
void adapt_rows(Rgba frame, BitPlane labels, Exact exact, int rate, Plane<std::uint8_t> background, int first,
                int last) {
  follow(frame, &labels, exact, background, first, last, Towards{rate});
}

} // namespace
} // namespace vigil::colinearseg::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace vigil::colinearseg::cpu {
HWY_EXPORT(learn_rows);
HWY_EXPORT(adapt_rows);

void learn(Rgba frame, Exact exact, int count, Plane<std::uint8_t> background, int first, int last) {
  HWY_DYNAMIC_DISPATCH(learn_rows)(frame, exact, count, background, first, last);
}
void adapt(Rgba frame, BitPlane labels, Exact exact, int rate, Plane<std::uint8_t> background, int first,
           int last) {
  HWY_DYNAMIC_DISPATCH(adapt_rows)(frame, labels, exact, rate, background, first, last);
}
} // namespace vigil::colinearseg::cpu
#endif
