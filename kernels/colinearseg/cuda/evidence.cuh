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

// ceil(D2)
__device__ inline int evidence(const Sums &s, int offset) {
  const int difference = s.fore + s.back - 2 * s.cross; // |x_f - x_b|^2
  const float f = float(s.fore), b = float(s.back), c = float(s.cross), o = float(offset);
  const float determinant = f * b - c * c + o * float(difference);
  const float root = sqrtf((f - b) * (f - b) + 4.f * (c + o) * (c + o));
  int t = int(floorf(2.f * determinant / fmaxf(f + b + 2.f * o + root, 1.f))) - 2;
  std::uint32_t p = std::uint32_t(s.fore - t) * std::uint32_t(s.back - t) -
                    std::uint32_t(s.cross) * std::uint32_t(s.cross) +
                    std::uint32_t(offset) * std::uint32_t(difference - 2 * t);
#pragma unroll
  for (int i = 0; i < 5; i++) {
    if (int(p) <= 0) break;
    p -= std::uint32_t(s.fore + s.back + 2 * offset - 2 * t - 1); // P(t + 1)
    t++;
  }
  return t;
}

// The least M that means changed, 13: never. `need` is Ts + 12 B - ceil(D2): changed <=> 2 B M > need. The quotient of
// need and 2 B, which matters up to 12 only, is found digit by digit.
__device__ inline unsigned least_neighbours(int need, int compactness) {
  if (need < 0) return 0;
  unsigned quotient = 0;
#pragma unroll
  for (int digit = 3; digit >= 0; digit--) {
    const int part = 2 * compactness << digit; // at most 1.6e6
    if (need >= part) {
      need -= part;
      quotient |= 1u << digit;
    }
  }
  return min(quotient + 1, 13u); // without compactness all digits are set
}

} // namespace vigil::colinearseg::cuda
