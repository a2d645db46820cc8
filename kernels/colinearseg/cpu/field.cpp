// SPDX-License-Identifier: LGPL-2.1-or-later
// The Markov random field, a vector of words of 64 pixels at a time: sums and comparisons digit by digit with
// the operators of logic, as in shaders/field.glsl. Pixels of one position have no neighbour of that
// position, so they are decided where they are.
#include "kernels/colinearseg/cpu/rows.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/colinearseg/cpu/field.cpp"
#include "common/cpu/targets.h"
#include <hwy/foreach_target.h> // must come before highway.h
#include <hwy/highway.h>

#include "common/cpu/mask_bits-inl.h"

HWY_BEFORE_NAMESPACE();
namespace vigil::colinearseg::cpu::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
namespace bits = vigil::HWY_NAMESPACE;
using Tag = hn::CappedTag<std::uint64_t, BitPlane::lanes>;
using Word = hn::Vec<Tag>;

// A word of a row, with the words of the pixels to its left and to its right.
struct Row {
  Word left, here, right;
};
HWY_INLINE Row row_at(const std::uint64_t *p) {
  const Tag d;
  const Word here = hn::LoadU(d, p);
  return {hn::Or(hn::ShiftLeft<1>(here), hn::ShiftRight<63>(hn::LoadU(d, p - 1))), here,
          hn::Or(hn::ShiftRight<1>(here), hn::ShiftLeft<63>(hn::LoadU(d, p + 1)))};
}

// a + b + c + d in three digits.
struct Count {
  Word one, two, four;
};
HWY_INLINE Count count(Word a, Word b, Word c, Word d) {
  const Word ab = hn::Xor(a, b), cd = hn::Xor(c, d), carry_ab = hn::And(a, b), carry_cd = hn::And(c, d);
  const Word carry = hn::And(ab, cd), either = hn::Xor(carry_ab, carry_cd);
  return {hn::Xor(ab, cd), hn::Xor(either, carry),
          hn::Or(hn::And(carry_ab, carry_cd), hn::And(either, carry))};
}

// 1 where M < n, n given as digits in rows that are `pitch` words apart.
HWY_INLINE Word unchanged(const Row &above, const Row &row, const Row &below, const std::uint64_t *n,
                          int pitch) {
  const Tag d;
  const Count straight = count(above.here, below.here, row.left, row.right);
  const Count diagonal = count(above.left, above.right, below.left, below.right);
  // M = 2 * straight + diagonal
  const Word carry = hn::And(straight.one, diagonal.two);
  const Word m1 = hn::Xor(straight.one, diagonal.two);
  const Word m2 = hn::Xor(hn::Xor(straight.two, diagonal.four), carry);
  const Word m3 = hn::Or(hn::Or(straight.four, hn::And(straight.two, diagonal.four)),
                         hn::And(carry, hn::Xor(straight.two, diagonal.four)));
  // the borrow of M - n
  const auto borrow = [](Word m, Word digit, Word less) HWY_ATTR {
    return hn::Or(hn::AndNot(m, digit), hn::AndNot(hn::Xor(m, digit), less));
  };
  Word less = hn::AndNot(diagonal.one, hn::LoadU(d, n));
  less = borrow(m1, hn::LoadU(d, n + pitch), less);
  less = borrow(m2, hn::LoadU(d, n + 2 * pitch), less);
  return borrow(m3, hn::LoadU(d, n + 3 * pitch), less);
}

void decide_rows(BitPlane labels, BitPlane none, BitPlane thresholds, int position, int first, int last) {
  const Tag d;
  const Word columns =
      hn::Set(d, position % 2 == 0 ? std::uint64_t{0x5555555555555555} : std::uint64_t{0xaaaaaaaaaaaaaaaa});
  const int pitch = thresholds.pitch();
  for (int y = first + (first + position / 2) % 2; y < last; y += 2) {
    std::uint64_t *row = labels.row(y);
    const std::uint64_t *above = y > 0 ? labels.row(y - 1) : none.row(0);
    const std::uint64_t *below = y + 1 < labels.height ? labels.row(y + 1) : none.row(0);
    const std::uint64_t *n = thresholds.row(digits * y);
    for (int i = 0; i < labels.padded(); i += int(hn::Lanes(d))) {
      const Row here = row_at(row + i);
      const Word stay = unchanged(row_at(above + i), here, row_at(below + i), n + i, pitch);
      hn::StoreU(hn::Or(hn::AndNot(columns, here.here), hn::AndNot(stay, columns)), d, row + i);
    }
  }
}

void spread_rows(BitPlane labels, Plane<std::uint8_t> mask, int first, int last) {
  for (int y = first; y < last; y++)
    for (int i = 0; i < labels.words(); i++)
      bits::put_bits(labels.row(y)[i], ~std::uint64_t{0}, mask.row(y) + 64 * std::ptrdiff_t{i});
}

} // namespace
} // namespace vigil::colinearseg::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace vigil::colinearseg::cpu {
HWY_EXPORT(decide_rows);
HWY_EXPORT(spread_rows);

void decide(BitPlane labels, BitPlane none, BitPlane thresholds, int position, int first, int last) {
  HWY_DYNAMIC_DISPATCH(decide_rows)(labels, none, thresholds, position, first, last);
}
void spread(BitPlane labels, Plane<std::uint8_t> mask, int first, int last) {
  HWY_DYNAMIC_DISPATCH(spread_rows)(labels, mask, first, last);
}
} // namespace vigil::colinearseg::cpu
#endif
