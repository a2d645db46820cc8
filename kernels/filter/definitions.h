// SPDX-License-Identifier: LGPL-2.1-or-later
// The numbers that filter.h defines, made of a stage's parameters: what the reference and the backends share.
#pragma once

#include "kernels/filter/filter.h"

#include <array>
#include <cstdint>

namespace vigil::filter {

int radius_of(const Stage &); // how far it reads; 0 for point stages

// `full` is the format's full_scale() everywhere.

// An offset, which is a part of full scale, in 1/2^bits of a level. With 16 bits it is a whole number of
// 1/2^offset_bits.
inline constexpr int offset_bits = 8;
std::int64_t offset_of(double part, int full, int bits);

// Kind::table: what v becomes.
std::uint16_t table_value(const Stage &, int v, int full);

// Kind::matrix, in 1/65536: c' = q(sum m[c][k] k + o[c]).
struct Matrix {
  std::array<std::array<std::int32_t, 3>, 3> m;
  std::array<std::int64_t, 3> o;
};
Matrix matrix_of(const Stage &, int full);

// Kind::linear, in 1/4096, row by row: q(sum + offset), of the absolute value when `absolute`.
struct Linear {
  std::array<std::int32_t, 9> k;
  std::int32_t offset;
  bool absolute;
};
Linear linear_of(const Stage &, int full);

// Kind::gradient: the amount in 1/256.
int gradient_amount(const Stage &);

// Kind::gaussian: w_0 .. w_r in 1/4096; w_0 + 2 (w_1 + .. + w_r) = 4096.
std::vector<int> gaussian_weights(const Stage &);

// Kind::weights, padded with zeros to a square of 2 radius + 1: of two passes `across` (1/2^20) and `down`,
// else of one pass `all`, row by row. The sum, of both passes with 8 more bits, is shifted by `shift` after
// `offset` was added.
struct WeightsInUnits {
  int radius;
  std::vector<std::int32_t> all, across, down;
  std::int64_t offset;
  int shift;
  bool separable() const { return all.empty(); }
};
WeightsInUnits weights_of(const Stage &, int full);

// Kind::bilateral: s row by row, and t by the difference >> range_shift(full).
constexpr int range_shift(int full) {
  return full > 255 ? 6 : 0;
}
struct BilateralTables {
  std::vector<std::int32_t> spatial, range;
};
BilateralTables bilateral_tables(const Stage &, int full);

// Kind::temporal: g in 1/256, and t in 1/256 of a level; 0: g is the same everywhere.
struct Temporal {
  int gain, threshold;
};
Temporal temporal_of(const Stage &, int full);

// Kind::deblock: the edges of columns are at left + n size, those of rows at top + n size; S in levels.
struct Blocks {
  int size, left, top, strength;
};
Blocks blocks_of(const Stage &, int full);

// Kind::tone.
inline constexpr int tone_levels = 8192; // the greatest l
inline constexpr int tone_limit = 4096;  // of e, on both sides of 0
inline constexpr int tone_reach = 2;     // blocks on each side of a pixel's own
inline constexpr int tone_own = 16;      // the weight of the pixel's own l
struct Tone {
  int size, compression, detail, anchor; // S, c, d, l(M anchor)
  std::vector<std::int32_t> level;       // l, by y
  std::vector<std::int32_t> spatial;     // g, by 2 |d|: 0..5 S
  std::vector<std::int32_t> range;       // t, by |l - L_b|: 0..8192
  std::vector<std::int32_t> gain;        // 65536 2^(e/1024), by e + 4096
};
Tone tone_of(const Stage &, int full);
// y in 1/65536 of R, G and B; they add up to 65536.
inline constexpr std::uint32_t tone_luma[3] = {19595, 38470, 7471};

} // namespace vigil::filter
