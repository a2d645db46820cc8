// SPDX-License-Identifier: LGPL-2.1-or-later
// The way from p010 to rgba64 and back; filter.h has the formulas.
#pragma once

#include "kernels/filter/filter.h"

#include <cstdint>

namespace vigil::filter {

inline constexpr int from_yuv_bits = 13, to_yuv_bits = 26; // of the factors, behind the point
struct YuvFactors {
  std::int32_t black, y, rv, gu, gv, bu; // gu and gv are negative
  std::int32_t yr, yg, yb, ur, ug, ub, vr, vg, vb;
};
YuvFactors factors_of(const Coding &);

// In host memory, in plain loops.
void open_p010(const ConstImage &p010, const YuvFactors &, const Image &rgba64);
void close_p010(const ConstImage &rgba64, const YuvFactors &, const Image &p010);

} // namespace vigil::filter
