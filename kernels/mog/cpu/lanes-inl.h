// SPDX-License-Identifier: LGPL-2.1-or-later
// Vectors of pixels: how samples, counts and the state's values become lanes and back. Compiled once per
// instruction set, by Highway's foreach_target.
#if defined(VIGIL_MOG_CPU_LANES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef VIGIL_MOG_CPU_LANES_INL_H
#undef VIGIL_MOG_CPU_LANES_INL_H
#else
#define VIGIL_MOG_CPU_LANES_INL_H
#endif

#include "kernels/mog/cpu/codec.h"
#include "kernels/mog/cpu/job.h"

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace vigil::mog::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Lanes of T, never more than a block has pixels.
template <class T>
using Lanes = hn::CappedTag<T, block_pixels>;

template <class D>
HWY_INLINE hn::Mask<D> no_lane(D d) {
  return hn::MaskFromVec(hn::Zero(d));
}

// Bytes -> numbers and back; the numbers are whole and 0..255.
template <class D>
HWY_INLINE hn::VFromD<D> from_bytes(D d, const std::uint8_t *p) {
  const hn::Rebind<std::int32_t, D> whole;
  const auto v = hn::PromoteTo(whole, hn::LoadU(hn::Rebind<std::uint8_t, D>(), p));
  if constexpr (sizeof(hn::TFromD<D>) == 8)
    return hn::PromoteTo(d, v);
  else
    return hn::ConvertTo(d, v);
}
template <class D>
HWY_INLINE void to_bytes(D, hn::VFromD<D> v, std::uint8_t *p) {
  const hn::Rebind<std::int32_t, D> whole;
  const hn::Rebind<std::uint8_t, D> bytes;
  if constexpr (sizeof(hn::TFromD<D>) == 8)
    hn::StoreU(hn::DemoteTo(bytes, hn::DemoteTo(whole, v)), bytes, p);
  else
    hn::StoreU(hn::DemoteTo(bytes, hn::ConvertTo(whole, v)), bytes, p);
}

// What a store adds before it cuts off what does not fit; nothing where nothing is cut off.
struct NoDither {
  template <class V>
  NoDither(std::uint32_t, std::size_t, V) {}
};

// States in single and double precision.
template <class Lane>
struct Plain {
  using T = Lane;
  using Stored = Lane;
  using D = Lanes<T>;
  using V = hn::VFromD<D>;
  using Dither = NoDither;
  static constexpr T least_weight = 0; // that a component in use can have
  static constexpr T whole_weight = 1; // what 1 is stored as
  static HWY_INLINE V weight(const Stored *p) { return hn::Load(D(), p); }
  static HWY_INLINE V mean(const Stored *p) { return hn::Load(D(), p); }
  static HWY_INLINE V variance(const Stored *p) { return hn::Load(D(), p); }
  static HWY_INLINE void put_weight(V v, const Dither &, Stored *p) { hn::Store(v, D(), p); }
  static HWY_INLINE void put_mean(V v, const Dither &, Stored *p) { hn::Store(v, D(), p); }
  static HWY_INLINE void put_variance(V v, const Dither &, Stored *p) { hn::Store(v, D(), p); }
};

// States of 16-bit values, see codec.h. Reading a value and writing it again changes nothing.
struct Compact {
  using T = float;
  using Stored = std::uint16_t;
  using D = Lanes<float>;
  using V = hn::VFromD<D>;
  using Int = hn::RebindToSigned<D>;
  using Half = hn::Rebind<std::uint16_t, D>;
  static constexpr T least_weight = weight_unit, whole_weight = 1 - weight_unit;

  // Multiples of the golden ratio: over frames the dither of a pixel fills 0..1 evenly, and so do neighbours'
  // in one frame. It depends on nothing but the frame's number and the pixel's. A frozen pixel gets 1/2,
  // which rounds to the nearest, so that it stays as it is.
  struct Dither {
    V units;                  // 1/256, 3/256 .. 255/256: with a stored value it makes an exact sum
    hn::VFromD<Int> variance; // of the bits that are cut off, less the bias
    HWY_INLINE Dither(std::uint32_t frame, std::size_t pixel, V rate) {
      const hn::RebindToUnsigned<D> u;
      const auto start = frame * 0x9E3779B9u + static_cast<std::uint32_t>(pixel) * 0xC13FA9A9u;
      const auto phase = hn::Add(hn::Set(u, start), hn::Mul(hn::Iota(u, 0), hn::Set(u, 0xC13FA9A9u)));
      const auto learns = hn::RebindMask(u, hn::Gt(rate, hn::Zero(D())));
      const auto bits =
          hn::BitCast(Int(), hn::ShiftRight<20>(hn::IfThenElse(learns, phase, hn::Set(u, 1u << 31))));
      variance = hn::Sub(bits, hn::Set(Int(), variance_bias << variance_shift));
      const auto odd = hn::Or(hn::ShiftRight<4>(bits), hn::Set(Int(), 1));
      units = hn::Mul(hn::ConvertTo(D(), odd), hn::Set(D(), 1.f / 256));
    }
  };

  static HWY_INLINE V units(const Stored *p, float unit) {
    return hn::Mul(hn::ConvertTo(D(), hn::PromoteTo(Int(), hn::Load(Half(), p))), hn::Set(D(), unit));
  }
  static HWY_INLINE void put_units(V v, float unit, const Dither &dither, Stored *p) {
    const auto whole = hn::ConvertTo(Int(), hn::MulAdd(v, hn::Set(D(), 1 / unit), dither.units));
    hn::Store(hn::DemoteTo(Half(), whole), Half(), p);
  }
  static HWY_INLINE V weight(const Stored *p) { return units(p, weight_unit); }
  static HWY_INLINE V mean(const Stored *p) { return units(p, mean_unit); }
  static HWY_INLINE V variance(const Stored *p) {
    const auto bits = hn::Add(hn::PromoteTo(Int(), hn::Load(Half(), p)), hn::Set(Int(), variance_bias));
    return hn::BitCast(D(), hn::ShiftLeft<variance_shift>(bits));
  }
  static HWY_INLINE void put_weight(V v, const Dither &d, Stored *p) { put_units(v, weight_unit, d, p); }
  static HWY_INLINE void put_mean(V v, const Dither &d, Stored *p) { put_units(v, mean_unit, d, p); }
  static HWY_INLINE void put_variance(V v, const Dither &d, Stored *p) {
    const auto bits = hn::ShiftRight<variance_shift>(hn::Add(hn::BitCast(Int(), v), d.variance));
    hn::Store(hn::DemoteTo(Half(), bits), Half(), p);
  }
};

// One component of a vector of pixels, without its weight.
template <class Codec, int channels>
struct Gaussian {
  using D = typename Codec::D;
  using V = typename Codec::V;
  using Stored = typename Codec::Stored;
  V variance, mean[channels];

  HWY_INLINE explicit Gaussian(const Stored *p) : variance(Codec::variance(p)) {
    for (int c = 0; c < channels; c++) mean[c] = Codec::mean(p + (1 + c) * block_pixels);
  }
  HWY_INLINE void put(const typename Codec::Dither &dither, Stored *p) const {
    Codec::put_variance(variance, dither, p);
    for (int c = 0; c < channels; c++) Codec::put_mean(mean[c], dither, p + (1 + c) * block_pixels);
  }
  // The squared distance of a sample from the mean.
  HWY_INLINE V distance2(const V *x) const {
    const V first = hn::Sub(x[0], mean[0]);
    V sum = hn::Mul(first, first);
    for (int c = 1; c < channels; c++) {
      const V d = hn::Sub(x[c], mean[c]);
      sum = hn::MulAdd(d, d, sum);
    }
    return sum;
  }
  // Where `mask` is set: the values of `other`.
  HWY_INLINE void take(hn::Mask<D> mask, const Gaussian &other) {
    variance = hn::IfThenElse(mask, other.variance, variance);
    for (int c = 0; c < channels; c++) mean[c] = hn::IfThenElse(mask, other.mean[c], mean[c]);
  }
  HWY_INLINE void take(hn::Mask<D> mask, V new_variance, const V *new_mean) {
    variance = hn::IfThenElse(mask, new_variance, variance);
    for (int c = 0; c < channels; c++) mean[c] = hn::IfThenElse(mask, new_mean[c], mean[c]);
  }
};

} // namespace vigil::mog::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
