// SPDX-License-Identifier: LGPL-2.1-or-later
// Sums that do not depend on the order in which they are added up: each number is rounded to a multiple of
// 2^-40 by itself, and integers are added.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace vigil {

class ExactSums {
 public:
  explicit ExactSums(std::size_t count = 0) : sums_(count) {}
  std::size_t size() const { return sums_.size(); }
  // Numbers of up to 2^60 in magnitude, which can be added 2^26 times.
  void add(std::span<const double> values) {
    for (std::size_t i = 0; i < sums_.size(); i++)
      sums_[i] += static_cast<Integer>(std::nearbyint(values[i] * scale));
  }
  // The same number, in two parts: `units` + `parts` * 2^-40.
  void add(std::size_t i, std::int64_t units, std::int64_t parts) {
    sums_[i] += Integer{units} * (Integer{1} << 40) + parts;
  }
  void add(const ExactSums &other) {
    for (std::size_t i = 0; i < sums_.size(); i++) sums_[i] += other.sums_[i];
  }
  std::vector<double> values() const {
    std::vector<double> out;
    for (const Integer v : sums_) out.push_back(static_cast<double>(v) / scale);
    return out;
  }
  // Four words a sum, the lowest first, as two's complement.
  std::vector<std::int32_t> words() const {
    std::vector<std::int32_t> out;
    for (const Integer v : sums_)
      for (int shift = 0; shift < 128; shift += 32)
        out.push_back(static_cast<std::int32_t>(static_cast<std::uint32_t>(static_cast<Bits>(v) >> shift)));
    return out;
  }
  static ExactSums of_words(std::span<const std::int32_t> words) {
    ExactSums s(words.size() / 4);
    for (std::size_t i = 0; i < s.size(); i++) {
      Bits v = 0;
      for (int k = 3; k >= 0; k--)
        v = v << 32 | static_cast<std::uint32_t>(words[4 * i + static_cast<std::size_t>(k)]);
      s.sums_[i] = static_cast<Integer>(v);
    }
    return s;
  }

 private:
  using Integer = __int128;
  using Bits = unsigned __int128;
  static constexpr double scale = 0x1p40;
  std::vector<Integer> sums_;
};

} // namespace vigil
