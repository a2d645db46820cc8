// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/label/place_scale.h"

#include <algorithm>
#include <cmath>

namespace vigil::label {

std::size_t PlaceScale::band_of(double bottom) {
  return static_cast<std::size_t>(std::clamp(bottom * bands, 0., double(bands - 1)));
}

void PlaceScale::Mean::add(double s, double v) {
  weight = std::min(weight, forgets_after - 1) + 1;
  size += (s - size) / weight;
  speed += (v - speed) / weight;
}

void PlaceScale::learn(double bottom, double size, double speed) {
  if (!std::isfinite(bottom) || !std::isfinite(size) || !std::isfinite(speed)) return;
  band_[band_of(bottom)].add(size, speed);
  all_.add(size, speed);
}

std::optional<PlaceScale::Usual> PlaceScale::usual(double bottom) const {
  if (all_.weight < enough || !std::isfinite(bottom)) return std::nullopt;
  constexpr double prior = 5; // tracks that the mean of all bands counts as
  const Mean &b = band_[band_of(bottom)];
  const double n = b.weight + prior;
  return Usual{(b.weight * b.size + prior * all_.size) / n, (b.weight * b.speed + prior * all_.speed) / n};
}

std::vector<double> PlaceScale::numbers() const {
  std::vector<double> out;
  const auto add = [&](const Mean &m) { out.insert(out.end(), {m.weight, m.size, m.speed}); };
  for (const Mean &m : band_) add(m);
  add(all_);
  return out;
}

std::optional<PlaceScale> PlaceScale::of(std::span<const double> numbers) {
  constexpr std::size_t each = 3;
  constexpr double furthest = 100; // of a logarithm
  if (numbers.size() != each * (bands + 1)) return std::nullopt;
  PlaceScale out;
  for (std::size_t i = 0; i <= bands; i++) {
    const Mean m{numbers[each * i], numbers[each * i + 1], numbers[each * i + 2]};
    if (!(m.weight >= 0 && m.weight <= forgets_after && std::abs(m.size) <= furthest &&
          std::abs(m.speed) <= furthest))
      return std::nullopt;
    (i < bands ? out.band_[i] : out.all_) = m;
  }
  return out;
}

} // namespace vigil::label
