// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/label/appearance.h"

#include <cmath>
#include <cstdint>

namespace vigil::label {

std::vector<float> appearance_of(std::span<const float> vector) {
  std::vector<double> sums(appearance_length);
  for (std::size_t i = 0; i < vector.size(); i++) {
    // splitmix64 (Steele et al. 2014): the same numbers on any machine.
    std::uint64_t h = (i + 1) * 0x9e3779b97f4a7c15u;
    h = (h ^ (h >> 30)) * 0xbf58476d1ce4e5b9u;
    h = (h ^ (h >> 27)) * 0x94d049bb133111ebu;
    h ^= h >> 31;
    sums[(h >> 1) % appearance_length] += h & 1 ? double{vector[i]} : -double{vector[i]};
  }
  double power = 0;
  for (const double s : sums) power += s * s;
  if (!(power > 0) || !std::isfinite(power)) return {};
  std::vector<float> out;
  for (const double s : sums) out.push_back(static_cast<float>(s / std::sqrt(power)));
  return out;
}

} // namespace vigil::label
