// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/exposure/cpu_map.h"

#include <algorithm>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/exposure/cpu_map.cpp"
#include "common/cpu/targets.h"
#include <hwy/foreach_target.h> // must come before highway.h
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace vigil::exposure::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using D16 = hn::ScalableTag<std::uint16_t>;
using I16 = hn::ScalableTag<std::int16_t>;
using D8 = hn::Rebind<std::uint8_t, D16>;
using U = hn::Vec<D16>;
using V = hn::Vec<I16>;
constexpr D16 d16;
constexpr I16 i16;
constexpr D8 d8;

// T before it is held within 0..255: y * scale / 256 is the upper half of (256 y) * scale.
V mapped(U y, U scale, V shift) {
  return hn::ShiftRight<4>(hn::Add(hn::BitCast(i16, hn::MulHigh(hn::ShiftLeft<8>(y), scale)), shift));
}

void rows_of_bytes(const std::uint8_t *from, const std::uint8_t *background, std::uint8_t *to,
                   std::size_t bytes, const Group &g) {
  const std::size_t lanes = hn::Lanes(d16);
  HWY_ALIGN std::uint16_t scales[HWY_MAX_BYTES / 2];
  HWY_ALIGN std::int16_t shifts[HWY_MAX_BYTES / 2];
  HWY_ALIGN std::uint8_t clips[HWY_MAX_BYTES / 2];
  for (std::size_t i = 0; i < lanes; i++) {
    scales[i] = static_cast<std::uint16_t>(g.table[i % 4].scale);
    shifts[i] = static_cast<std::int16_t>(g.table[i % 4].shift + 8);
    clips[i] = g.clips[i % 4] ? 255 : 0;
  }
  const auto scale = hn::Load(d16, scales);
  const auto shift = hn::Load(i16, shifts);
  const auto clip = hn::Load(d8, clips), high = hn::Set(d8, clipped_high), low = hn::Set(d8, clipped_low);
  const auto map = [&](auto y, auto b) {
    const auto v = hn::DemoteTo(d8, mapped(hn::PromoteTo(d16, y), scale, shift));
    const auto too_high = hn::And(hn::Eq(hn::Max(y, high), y), hn::Lt(v, b));
    const auto too_low = hn::And(hn::Eq(hn::Min(y, low), y), hn::Gt(v, b));
    return hn::IfThenElse(hn::And(hn::Or(too_high, too_low), hn::Ne(clip, hn::Zero(d8))), b, v);
  };
  std::size_t i = 0;
  for (; i + lanes <= bytes; i += lanes)
    hn::StoreU(map(hn::LoadU(d8, from + i), hn::LoadU(d8, background + i)), d8, to + i);
  if (i == bytes) return;
  HWY_ALIGN std::uint8_t y[HWY_MAX_BYTES / 2] = {}, b[HWY_MAX_BYTES / 2] = {}, v[HWY_MAX_BYTES / 2];
  std::memcpy(y, from + i, bytes - i);
  std::memcpy(b, background + i, bytes - i);
  hn::Store(map(hn::Load(d8, y), hn::Load(d8, b)), d8, v);
  std::memcpy(to + i, v, bytes - i);
}

// As clipped.h says it, a lane for each chroma position: its left pixel and its right one in turn.
class Yuv16 {
 public:
  Yuv16(const Table (&t)[3], const Colours &k) : k_(k), below_(set(k.clipped - 1)) {
    for (int c = 0; c < 3; c++) {
      scale_[c] = hn::Set(d16, static_cast<std::uint16_t>(t[c].scale));
      shift_[c] = set(t[c].shift + 8);
    }
  }
  struct Luma {
    U left, right;
  };
  struct Chroma {
    U c1, c2;
  };
  struct Pixels {
    Luma y;
    Chroma c;
  };
  Pixels map(const Pixels &frame, const Pixels &background) const {
    const V left = held(mapped(frame.y.left, scale_[0], shift_[0])),
            right = held(mapped(frame.y.right, scale_[0], shift_[0])),
            c1 = held(mapped(frame.c.c1, scale_[1], shift_[1])),
            c2 = held(mapped(frame.c.c2, scale_[2], shift_[2]));
    const Chosen of_frame = chosen(signed_of(frame.c.c1), signed_of(frame.c.c2));
    const Levels l = levels(signed_of(frame.y.left), of_frame),
                 r = levels(signed_of(frame.y.right), of_frame);
    const auto some = hn::Gt(hn::Max(highest(l), highest(r)), below_);
    if (hn::AllFalse(i16, some))
      return {{unsigned_of(left), unsigned_of(right)}, {unsigned_of(c1), unsigned_of(c2)}};
    const Chosen of_mapped = chosen(c1, c2),
                 of_background = chosen(signed_of(background.c.c1), signed_of(background.c.c2));
    const Missing at_left =
        missing(l, levels(left, of_mapped), levels(signed_of(background.y.left), of_background));
    const Missing at_right =
        missing(r, levels(right, of_mapped), levels(signed_of(background.y.right), of_background));
    return {{put(left, at_left.all), put(right, at_right.all)},
            {put(c1, rounded(hn::Mul(set(k_.back_1), hn::Sub(at_left.d1, at_left.all)))),
             put(c2, rounded(hn::Mul(set(k_.back_2), hn::Sub(at_left.d2, at_left.all))))}};
  }

 private:
  struct Chosen { // what chroma adds to luma in each colour
    V c1, c2, green;
  };
  struct Levels {
    V c1, c2, green;
  };
  struct Missing {
    V d1, d2, all;
  };
  static V set(int v) { return hn::Set(i16, static_cast<std::int16_t>(v)); }
  static V signed_of(U v) { return hn::BitCast(i16, v); }
  static U unsigned_of(V v) { return hn::BitCast(d16, v); }
  static V held(V v) { return hn::Min(hn::Max(v, hn::Zero(i16)), set(255)); }
  static V rounded(V v) { return hn::ShiftRight<6>(hn::Add(v, set(32))); }
  static U put(V v, V more) { return unsigned_of(held(hn::Add(v, more))); }
  static V highest(const Levels &l) { return hn::Max(hn::Max(l.c1, l.c2), l.green); }
  Chosen chosen(V c1, V c2) const {
    const V a = hn::Sub(c1, set(128)), b = hn::Sub(c2, set(128));
    return {hn::ShiftRight<6>(hn::Mul(set(k_.of_1), a)), hn::ShiftRight<6>(hn::Mul(set(k_.of_2), b)),
            hn::ShiftRight<6>(hn::Add(hn::Mul(set(k_.green_1), a), hn::Mul(set(k_.green_2), b)))};
  }
  static Levels levels(V y, const Chosen &c) {
    return {hn::Add(y, c.c1), hn::Add(y, c.c2), hn::Sub(y, c.green)};
  }
  V lacking(V frame, V map, V background) const {
    return hn::IfThenElseZero(hn::Gt(frame, below_), held(hn::Sub(background, map)));
  }
  Missing missing(const Levels &f, const Levels &m, const Levels &b) const {
    const V d1 = lacking(f.c1, m.c1, b.c1), d2 = lacking(f.c2, m.c2, b.c2),
            g = lacking(f.green, m.green, b.green);
    return {d1, d2,
            rounded(hn::Add(hn::Add(hn::Mul(set(k_.share_1), d1), hn::Mul(set(k_.share_2), d2)),
                            hn::Mul(set(k_.share_green), g)))};
  }

  const Colours &k_;
  U scale_[3];
  V shift_[3], below_; // one level below what is clipped
};

using Byte = hn::Vec<D8>;

Yuv16::Pixels load(const YuvRow<const std::uint8_t> &row, std::size_t at) {
  const auto pairs = [at](const std::uint8_t *p, U &first, U &second) {
    Byte a, b;
    hn::LoadInterleaved2(d8, p + 2 * at, a, b);
    first = hn::PromoteTo(d16, a);
    second = hn::PromoteTo(d16, b);
  };
  const U none = hn::Set(d16, 128);
  Yuv16::Pixels p{{none, none}, {none, none}};
  pairs(row.y, p.y.left, p.y.right);
  if (row.c2)
    p.c = {hn::PromoteTo(d16, hn::LoadU(d8, row.c1 + at)), hn::PromoteTo(d16, hn::LoadU(d8, row.c2 + at))};
  else if (row.c1)
    pairs(row.c1, p.c.c1, p.c.c2);
  return p;
}

void store(const Yuv16::Pixels &p, const YuvRow<std::uint8_t> &row, std::size_t at) {
  const auto bytes = [](U v) { return hn::DemoteTo(d8, hn::BitCast(i16, v)); };
  hn::StoreInterleaved2(bytes(p.y.left), bytes(p.y.right), d8, row.y + 2 * at);
  if (row.c2) {
    hn::StoreU(bytes(p.c.c1), d8, row.c1 + at);
    hn::StoreU(bytes(p.c.c2), d8, row.c2 + at);
  } else if (row.c1) {
    hn::StoreInterleaved2(bytes(p.c.c1), bytes(p.c.c2), d8, row.c1 + 2 * at);
  }
}

// The last pixels of a row, in memory that has room for whole vectors.
struct Rest {
  HWY_ALIGN std::uint8_t y[HWY_MAX_BYTES] = {}, c1[HWY_MAX_BYTES] = {}, c2[HWY_MAX_BYTES] = {};
  template <class Byte>
  YuvRow<std::uint8_t> like(const YuvRow<Byte> &row) {
    return {y, row.c1 ? c1 : nullptr, row.c2 ? c2 : nullptr};
  }
};
void copy(const YuvRow<const std::uint8_t> &from, std::size_t from_at, const YuvRow<std::uint8_t> &to,
          std::size_t to_at, std::size_t width) { // at: in chroma positions; width: in pixels
  const std::size_t half = (width + 1) / 2;
  std::memcpy(to.y + 2 * to_at, from.y + 2 * from_at, width);
  if (to.c2) {
    std::memcpy(to.c1 + to_at, from.c1 + from_at, half);
    std::memcpy(to.c2 + to_at, from.c2 + from_at, half);
  } else if (to.c1) {
    std::memcpy(to.c1 + 2 * to_at, from.c1 + 2 * from_at, 2 * half);
  }
}
YuvRow<const std::uint8_t> fixed(const YuvRow<std::uint8_t> &row) {
  return {row.y, row.c1, row.c2};
}

void row_of_yuv(const YuvRow<const std::uint8_t> &from, const YuvRow<const std::uint8_t> &background,
                const YuvRow<std::uint8_t> &to, int width, const Table (&table)[3], const Colours &colours) {
  const Yuv16 yuv(table, colours);
  const std::size_t lanes = hn::Lanes(d16), pixels = static_cast<std::size_t>(width);
  std::size_t i = 0; // chroma positions
  for (; 2 * (i + lanes) <= pixels; i += lanes) store(yuv.map(load(from, i), load(background, i)), to, i);
  const std::size_t left = pixels - 2 * i;
  if (left == 0) return;
  Rest f, b, t;
  copy(from, i, f.like(from), 0, left);
  copy(background, i, b.like(background), 0, left);
  const YuvRow<std::uint8_t> result = t.like(to);
  store(yuv.map(load(fixed(f.like(from)), 0), load(fixed(b.like(background)), 0)), result, 0);
  copy(fixed(result), 0, to, i, left);
}

} // namespace
} // namespace vigil::exposure::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace vigil::exposure {
namespace {
HWY_EXPORT(rows_of_bytes);
HWY_EXPORT(row_of_yuv);
} // namespace

void map_row(const std::uint8_t *from, const std::uint8_t *background, std::uint8_t *to, std::size_t bytes,
             const Group &g) {
  HWY_DYNAMIC_DISPATCH(rows_of_bytes)(from, background, to, bytes, g);
}
void map_yuv_row(const YuvRow<const std::uint8_t> &from, const YuvRow<const std::uint8_t> &background,
                 const YuvRow<std::uint8_t> &to, int width, const Table (&table)[3], const Colours &colours) {
  HWY_DYNAMIC_DISPATCH(row_of_yuv)(from, background, to, width, table, colours);
}
} // namespace vigil::exposure
#endif
