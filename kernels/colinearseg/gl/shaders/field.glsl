// SPDX-License-Identifier: LGPL-2.1-or-later
// The Markov random field, 32 pixels at a time. A word holds the labels of 32 pixels of a row (bit i: x = 32 * word + i,
// 1: changed); the thresholds n of its pixels are four words, one for each binary digit. Sums and comparisons are done
// digit by digit with the operators of logic, for all 32 pixels at once.

// Words of the pixels to the left and to the right. `row` is the word before, the word itself and the word after.
uint left_of(uvec3 row) {
  return row.y << 1 | row.x >> 31;
}
uint right_of(uvec3 row) {
  return row.y >> 1 | row.z << 31;
}

// a + b + c + d as three digits.
uvec3 count(uint a, uint b, uint c, uint d) {
  uint ab = a ^ b, cd = c ^ d, carry_ab = a & b, carry_cd = c & d;
  uint carry = ab & cd, either = carry_ab ^ carry_cd;
  return uvec3(ab ^ cd, either ^ carry, (carry_ab & carry_cd) | (either & carry));
}

// 1 where M >= n.
uint changed(uvec3 above, uvec3 row, uvec3 below, uvec4 n) {
  uvec3 straight = count(above.y, below.y, left_of(row), right_of(row));
  uvec3 diagonal = count(left_of(above), right_of(above), left_of(below), right_of(below));
  // M = 2 * straight + diagonal; of its four digits the last is the diagonal's
  uint carry = straight.x & diagonal.y;
  uint m1 = straight.x ^ diagonal.y;
  uint m2 = straight.y ^ diagonal.z ^ carry;
  uint m3 = straight.z | (straight.y & diagonal.z) | (carry & (straight.y ^ diagonal.z));
  // the borrow of M - n, digit by digit
  uint less = ~diagonal.x & n.x;
  less = (~m1 & n.y) | (~(m1 ^ n.y) & less);
  less = (~m2 & n.z) | (~(m2 ^ n.z) & less);
  less = (~m3 & n.w) | (~(m3 ^ n.w) & less);
  return ~less;
}

// The bits of a lattice position's columns; its rows are those with y % 2 == position / 2.
uint columns_of(int position) {
  return (position & 1) == 0 ? 0x55555555u : 0xaaaaaaaau;
}
