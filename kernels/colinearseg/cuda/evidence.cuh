// SPDX-License-Identifier: LGPL-2.1-or-later
// D2 in whole numbers, exactly, with 32-bit arithmetic; as shaders/evidence.glsl, which says why it is right.
#pragma once

#include <cstdint>

namespace vigil::colinearseg::cuda {

constexpr unsigned all_lanes = 0xffffffffu;

// Of one pixel or of a window.
struct Sums {
  int fore = 0, back = 0, cross = 0;
  __device__ Sums operator+(const Sums &o) const { return {fore + o.fore, back + o.back, cross + o.cross}; }
};
// Products of a pixel's three bytes; what is in the fourth does not count.
__device__ inline Sums products(std::uint32_t frame, std::uint32_t background) {
  const std::uint32_t f = frame & 0xffffffu, b = background & 0xffffffu;
  return {int(__dp4a(f, f, 0u)), int(__dp4a(b, b, 0u)), int(__dp4a(f, b, 0u))};
}

// ceil(D2). The GPU's fast square root and division add a few 2^-23 of D2, which is at most 27 * 255^2, to
// the errors that shaders/evidence.glsl speaks of: all together below 1. So it is one of the four numbers
// from one below the approximation's floor.
__device__ inline int evidence(const Sums &s, int offset) {
  const int difference = s.fore + s.back - 2 * s.cross; // |x_f - x_b|^2
  const float f = float(s.fore), b = float(s.back), c = float(s.cross), o = float(offset);
  const float determinant = f * b - c * c + o * float(difference);
  float root;
  asm("sqrt.approx.f32 %0, %1;" : "=f"(root) : "f"((f - b) * (f - b) + 4.f * (c + o) * (c + o)));
  int t = int(floorf(__fdividef(2.f * determinant, fmaxf(f + b + 2.f * o + root, 1.f)))) - 1;
  std::uint32_t p = std::uint32_t(s.fore - t) * std::uint32_t(s.back - t) -
                    std::uint32_t(s.cross) * std::uint32_t(s.cross) +
                    std::uint32_t(offset) * std::uint32_t(difference - 2 * t);
  int less = s.fore + s.back + 2 * offset - 2 * t - 1; // P(t) - P(t + 1)
#pragma unroll
  for (int i = 0; i < 3; i++) {
    const bool above = int(p) > 0;
    p -= above ? std::uint32_t(less) : 0u;
    t += above;
    less -= 2;
  }
  return t;
}

// The least M that means changed, 13: never. `need` is Ts + 12 B - ceil(D2): changed <=> 2 B M > need.
// `reciprocal` is that of 2 B; the quotient that it gives is right to within 1.
__device__ inline unsigned least_neighbours(int need, int compactness, float reciprocal) {
  const int twice = 2 * compactness;
  int quotient = int(fminf(float(need) * reciprocal, 13.f));
  const int rest = need - quotient * twice;
  quotient += (rest >= twice) - (rest < 0);
  const unsigned least = compactness == 0 ? 13u : unsigned(min(quotient + 1, 13));
  return need < 0 ? 0u : least;
}

} // namespace vigil::colinearseg::cuda
