// SPDX-License-Identifier: LGPL-2.1-or-later
// The 16-bit values of a compact state. Arithmetic is done in single precision; to write a value, a dither 0
// <= u < 1 of its unit is added and the rest cut off, so that the expected value is the exact one and updates
// smaller than a unit
// are not lost: at a learning rate of 1/500 plain rounding would stop a mean up to a grey level from its
// goal.
//   weight    units of 2^-16; 1 is stored as 1 - 2^-16
//   mean      units of 2^-8
//   variance  a positive number with 5 bits of exponent and 11 of mantissa, 2^-12 <= v < 2^20: the middle
//             bits of the same number in single precision
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

namespace vigil::mog::cpu {

inline constexpr float weight_unit = 1.f / 65536, mean_unit = 1.f / 256;
inline constexpr int variance_shift = 23 - 11; // bits of mantissa left out
inline constexpr std::uint32_t variance_bias = std::uint32_t(127 - 12)
                                               << 11; // exponent of the least variance
inline constexpr float least_variance = 0x1p-12f,
                       greatest_variance = 0x1.ffep19f; // of those that can be stored

// Single values, to the nearest: for loading and saving.
inline std::uint16_t encode_units(float value, float unit) {
  return static_cast<std::uint16_t>(std::clamp(value / unit + 0.5f, 0.f, 65535.f));
}
inline std::uint16_t encode_variance(float v) {
  const auto bits = std::bit_cast<std::uint32_t>(std::clamp(v, least_variance, greatest_variance));
  const std::uint32_t half = 1u << (variance_shift - 1);
  return static_cast<std::uint16_t>(std::min(((bits + half) >> variance_shift) - variance_bias, 65535u));
}
inline float decode_variance(std::uint16_t stored) {
  return std::bit_cast<float>((stored + variance_bias) << variance_shift);
}

} // namespace vigil::mog::cpu
