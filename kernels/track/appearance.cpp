// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/track/appearance.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace vigil::track {
namespace {

constexpr double memory = 0.1; // share of a new colour

} // namespace

Appearance::Appearance(const Detection &d) : colour_(d.colour), known_(d.has_colour) {}

void Appearance::learn(const Detection &d) {
  if (!d.has_colour) return;
  const auto share = static_cast<float>(known_ ? memory : 1);
  for (std::size_t c = 0; c < 3; c++) colour_[c] += share * (d.colour[c] - colour_[c]);
  known_ = true;
}

double Appearance::difference(const Detection &d) const {
  if (!known_ || !d.has_colour) return 0;
  double sum = 0;
  for (std::size_t c = 0; c < 3; c++) sum += std::abs(colour_[c] - d.colour[c]);
  return std::min(1., sum / 192);
}

} // namespace vigil::track
