// SPDX-License-Identifier: LGPL-2.1-or-later
// The passes of rows.h with SIMD, compiled once for each instruction set and chosen at run time.
//
// A vector lane is a word of 64 pixels. Counts of pixels are held bit by bit: plane k of a count is a word
// with bit k of the counts of its 64 pixels, and sums are made by the full adders of a hardware designer.
#include "kernels/cleanup/cpu/rows.h"

#include <algorithm>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cleanup/cpu/rows.cpp"
#include "common/cpu/targets.h"
#include <hwy/foreach_target.h> // must come before highway.h
#include <hwy/highway.h>

#include "common/cpu/mask_bits-inl.h"

HWY_BEFORE_NAMESPACE();
namespace vigil::cleanup::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
namespace bits = vigil::HWY_NAMESPACE;
using Words = hn::CappedTag<std::uint64_t, BitPlane::lanes>;
using Word = hn::Vec<Words>;

// Word i and its neighbours.
struct Three {
  Word previous, current, next;
};
HWY_INLINE Three load3(const std::uint64_t *p) {
  const Words d;
  return {hn::LoadU(d, p - 1), hn::LoadU(d, p), hn::LoadU(d, p + 1)};
}

// Calls block(x, n) for blocks of 64 pixels of a row; n < 64 in the last one only.
template <class Block>
HWY_INLINE void each_block(int width, Block block) {
  for (int x = 0; x < width; x += 64) block(x, std::min(64, width - x));
}

// 64 pixels, from the picture itself or, at its end, from a copy that can be read to the end.
struct Pixels {
  std::uint8_t copy[64];
  const std::uint8_t *data;
  Pixels(const std::uint8_t *p, int n) : data(p) {
    if (n == 64) return;
    std::memset(copy, 0, sizeof copy);
    std::memcpy(copy, p, n);
    data = copy;
  }
};

void pack(Plane<const std::uint8_t> mask, Plane<const std::uint8_t> watch, BitPlane to, int first, int last) {
  for (int y = first; y < last; y++)
    each_block(to.width, [&](int x, int n) HWY_ATTR {
      std::uint64_t f = bits::full_bits(Pixels(mask.row(y) + x, n).data);
      if (watch.data) f &= bits::some_bits(Pixels(watch.row(y) + x, n).data);
      to.row(y)[x / 64] = f;
    });
}

void unpack(BitPlane from, Plane<std::uint8_t> mask, Plane<const std::uint8_t> watch, int first, int last) {
  for (int y = first; y < last; y++)
    each_block(from.width, [&](int x, int n) HWY_ATTR {
      const std::uint64_t watched =
          watch.data ? bits::some_bits(Pixels(watch.row(y) + x, n).data) : ~std::uint64_t{0};
      std::uint8_t *const p = mask.row(y) + x;
      if (n == 64) return bits::put_bits(from.row(y)[x / 64], watched, p);
      Pixels end(p, n);
      bits::put_bits(from.row(y)[x / 64], watched, end.copy);
      std::memcpy(p, end.copy, n);
    });
}

// v >> 0 | v >> 1 | ... | v >> r, by doubling. Down: towards the pixel of lower x.
HWY_INLINE Word smear_down(Word v, int r) {
  int covered = 1;
  for (; covered * 2 <= r + 1; covered *= 2) v = hn::Or(v, hn::ShiftRightSame(v, covered));
  return hn::Or(v, hn::ShiftRightSame(v, r + 1 - covered));
}
HWY_INLINE Word smear_up(Word v, int r) {
  int covered = 1;
  for (; covered * 2 <= r + 1; covered *= 2) v = hn::Or(v, hn::ShiftLeftSame(v, covered));
  return hn::Or(v, hn::ShiftLeftSame(v, r + 1 - covered));
}

// Clears what is no pixel.
void trim(BitPlane shape, std::uint64_t *row) {
  row[shape.words() - 1] &= shape.last();
  std::fill(row + shape.words(), row + shape.padded(), 0);
}

void box(BitPlane from, BitPlane to, Box kind, int r, int first, int last, BitPlane scratch) {
  const Words d;
  const int step = int(hn::Lanes(d));
  const Word flip = hn::Set(d, kind == Box::erode ? ~std::uint64_t{0} : 0);
  const Word low = hn::Set(d, 0xffffffff);
  std::uint64_t *column = scratch.row(0);
  for (int y = first; y < last; y++) {
    const int top = std::max(y - r, 0), bottom = std::min(y + r, from.height - 1);
    for (int i = 0; i < from.padded(); i += step) {
      Word v = hn::Zero(d);
      const std::uint64_t *p = from.row(top) + i;
      for (int j = top; j <= bottom; j++, p += from.pitch()) v = hn::Or(v, hn::Xor(hn::LoadU(d, p), flip));
      hn::StoreU(v, d, column + i);
    }
    trim(from, column);
    column[-1] = column[from.padded()] = 0;
    // A smeared word is right in the half that has 32 pixels of its neighbour next to it, so there are four
    // for each: either half of the word, smeared from either side.
    for (int i = 0; i < from.padded(); i += step) {
      const Three t = load3(column + i);
      const Word before = hn::Or(hn::ShiftRight<32>(t.previous), hn::ShiftLeft<32>(t.current));
      const Word behind = hn::Or(hn::ShiftRight<32>(t.current), hn::ShiftLeft<32>(t.next));
      const Word lower =
          hn::Or(hn::And(smear_down(t.current, r), low), hn::ShiftRight<32>(smear_up(before, r)));
      const Word upper =
          hn::Or(hn::AndNot(low, smear_up(t.current, r)), hn::ShiftLeft<32>(smear_down(behind, r)));
      hn::StoreU(hn::Xor(hn::Or(lower, upper), flip), d, to.row(y) + i);
    }
    trim(to, to.row(y));
  }
}

// Column sums of the rows that the window covers, one plane a row of `sums`. A pixel of F counts 2 and one
// outside the picture 1, so "more than half of those inside" is the same number for every pixel: more than
// (2r+1)^2.
class ColumnSums {
 public:
  ColumnSums(BitPlane from, BitPlane sums) : from_(from), sums_(sums) {
    for (int k = 0; k < sum_planes; k++) std::fill_n(sums_.row(k), sums_.padded(), 0);
  }
  void add(int y) {
    change(y, [](Word &plane, Word carry) HWY_ATTR {
      const Word next = hn::And(plane, carry);
      plane = hn::Xor(plane, carry);
      return next;
    });
  }
  void subtract(int y) {
    change(y, [](Word &plane, Word borrow) HWY_ATTR {
      const Word next = hn::AndNot(plane, borrow);
      plane = hn::Xor(plane, borrow);
      return next;
    });
  }
  // Columns outside the picture hold nothing but pixels outside: `rows` of them.
  void fence(int rows) {
    for (int k = 0; k < sum_planes; k++) {
      const std::uint64_t bit = rows >> k & 1 ? ~std::uint64_t{0} : 0;
      std::uint64_t *p = sums_.row(k);
      std::uint64_t &end = p[from_.words() - 1];
      end = (end & from_.last()) | (bit & ~from_.last());
      std::fill(p + from_.words(), p + from_.padded() + 1, bit);
      p[-1] = bit;
    }
  }
  const std::uint64_t *plane(int k) const { return sums_.row(k); }

 private:
  template <class Digit>
  HWY_INLINE void change(int y, Digit digit) {
    const Words d;
    const bool inside = y >= 0 && y < from_.height;
    for (int i = 0; i < from_.padded(); i += int(hn::Lanes(d))) {
      Word carry = inside ? hn::LoadU(d, from_.row(y) + i) : hn::Set(d, ~std::uint64_t{0});
      for (int k = inside ? 1 : 0; k < sum_planes; k++) {
        Word plane = hn::LoadU(d, sums_.row(k) + i);
        carry = digit(plane, carry);
        hn::StoreU(plane, d, sums_.row(k) + i);
      }
    }
  }
  BitPlane from_, sums_;
};

// Bits of the sum of a whole window: 2 * (2 * max_radius + 1)^2 needs as many.
constexpr int total_planes = 11;
struct Count {
  HWY_INLINE Count() {} // an implicit one would not be compiled for the vectors' target, which NEON needs
  Word plane[total_planes];
};

// to += by >> shift, where `to` has `have` planes in use and `by` has `add` <= have; the carry makes one
// more.
template <int have, int add, class Shift>
HWY_INLINE void accumulate(Count &to, const Count &by, Shift shift) {
  Word carry = hn::Zero(Words());
  for (int k = 0; k < have; k++) {
    const Word a = to.plane[k];
    if (k < add) {
      const Word b = shift(by.plane[k]), differ = hn::Xor(a, b);
      to.plane[k] = hn::Xor(differ, carry);
      carry = hn::Or(hn::And(a, b), hn::And(differ, carry));
    } else {
      to.plane[k] = hn::Xor(a, carry);
      carry = hn::And(a, carry);
    }
  }
  if constexpr (have < total_planes) to.plane[have] = carry;
}

// `s` holds the sums of 2^level columns, starting at each pixel; `total` those of the `done` columns that the
// lower bits of m ask for.
template <int level>
HWY_INLINE void sum_columns(Count &s, Count &total, int m, int done) {
  constexpr int planes = sum_planes + level;
  if constexpr (level > 0)
    if (m >> level & 1) {
      accumulate<planes, planes>(total, s, [=](Word v) HWY_ATTR { return hn::ShiftRightSame(v, done); });
      done += 1 << level;
    }
  if constexpr (level < 4)
    if (m >> (level + 1)) {
      accumulate<planes, planes>(s, Count(s), [](Word v) HWY_ATTR { return hn::ShiftRight<1 << level>(v); });
      sum_columns<level + 1>(s, total, m, done);
    }
}

// Where the sum of m columns is more than m*m; right in the lower 32 bits of each word, whose column sums `s`
// start (m-1)/2 pixels before it.
HWY_INLINE Word majority(Count &s, int m) {
  Count total = s;
  for (int k = sum_planes; k < total_planes; k++) total.plane[k] = hn::Zero(Words());
  sum_columns<0>(s, total, m, 1);
  // total > m*m when total + (2^11 - 1 - m*m) carries out of the 11 planes
  const int rest = (1 << total_planes) - 1 - m * m;
  Word carry = hn::Zero(Words());
  for (int k = 0; k < total_planes; k++)
    carry = rest >> k & 1 ? hn::Or(carry, total.plane[k]) : hn::And(carry, total.plane[k]);
  return carry;
}

void median(BitPlane from, BitPlane to, int r, int first, int last, BitPlane scratch) {
  const Words d;
  const int m = 2 * r + 1;
  const Word low = hn::Set(d, 0xffffffff);
  ColumnSums sums(from, scratch);
  for (int y = first - r; y < first + r; y++) sums.add(y);
  for (int y = first; y < last; y++) {
    sums.add(y + r);
    sums.fence(m);
    for (int i = 0; i < from.padded(); i += int(hn::Lanes(d))) {
      Count lower, upper; // the window of a word's first pixel starts r before it, that of pixel 32 at 32 - r
      for (int k = 0; k < sum_planes; k++) {
        const Three t = load3(sums.plane(k) + i);
        lower.plane[k] = hn::Or(hn::ShiftLeftSame(t.current, r), hn::ShiftRightSame(t.previous, 64 - r));
        upper.plane[k] = hn::Or(hn::ShiftRightSame(t.current, 32 - r), hn::ShiftLeftSame(t.next, 32 + r));
      }
      const Word result = hn::Or(hn::And(majority(lower, m), low), hn::ShiftLeft<32>(majority(upper, m)));
      hn::StoreU(result, d, to.row(y) + i);
    }
    trim(to, to.row(y));
    sums.subtract(y - r);
  }
}

} // namespace
} // namespace vigil::cleanup::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace vigil::cleanup {

HWY_EXPORT(pack);
HWY_EXPORT(median);
HWY_EXPORT(box);
HWY_EXPORT(unpack);

void pack_rows(Plane<const std::uint8_t> mask, Plane<const std::uint8_t> watch, BitPlane to, int first,
               int last) {
  HWY_DYNAMIC_DISPATCH(pack)(mask, watch, to, first, last);
}
void median_rows(BitPlane from, BitPlane to, int r, int first, int last, BitPlane sums) {
  HWY_DYNAMIC_DISPATCH(median)(from, to, r, first, last, sums);
}
void box_rows(BitPlane from, BitPlane to, Box kind, int r, int first, int last, BitPlane scratch) {
  HWY_DYNAMIC_DISPATCH(box)(from, to, kind, r, first, last, scratch);
}
void unpack_rows(BitPlane from, Plane<std::uint8_t> mask, Plane<const std::uint8_t> watch, int first,
                 int last) {
  HWY_DYNAMIC_DISPATCH(unpack)(from, mask, watch, first, last);
}

} // namespace vigil::cleanup
#endif
