// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/label/likeness.h"

#include "kernels/label/appearance.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace vigil::label {
namespace {

double weight_of(Feature f) {
  switch (f) {
  case Feature::aspect:
    return 3;
  case Feature::size:
  case Feature::filled:
  case Feature::upright:
    return 2;
  case Feature::relative_size:
  case Feature::speed:
  case Feature::relative_speed:
  case Feature::rhythm:
    return 1;
  default: // which way it went says little of what it is
    return 0.25;
  }
}

} // namespace

double distance(const Subject &a, const Subject &b) {
  double sum = 0, weights = 0;
  std::size_t common = 0;
  for (std::size_t i = 0; i < feature_count; i++) {
    const auto f = static_cast<Feature>(i);
    if (!std::isfinite(a.shape[i]) || !std::isfinite(b.shape[i])) continue;
    const double d = double{standardised(a.shape, f)} - double{standardised(b.shape, f)}, w = weight_of(f);
    sum += w * d * d;
    weights += w;
    common++;
  }
  if (a.appearance.size() == appearance_length && b.appearance.size() == appearance_length) {
    constexpr double looks = 4;
    double square = 0; // 0..4, 2 where they have nothing in common
    for (std::size_t i = 0; i < appearance_length; i++) {
      const double d = double{a.appearance[i]} - double{b.appearance[i]};
      square += d * d;
    }
    if (std::isfinite(square)) {
      sum += looks * square;
      weights += looks;
      common += least_common;
    }
  }
  return common < least_common ? std::numeric_limits<double>::infinity() : std::sqrt(sum / weights);
}

std::vector<std::vector<std::size_t>> groups_alike(std::span<const Subject> subjects, std::size_t most) {
  const std::size_t n = subjects.size();
  std::vector<float> far(n * n);
  for (std::size_t i = 0; i < n; i++)
    for (std::size_t j = 0; j < i; j++)
      far[i * n + j] = far[j * n + i] = static_cast<float>(distance(subjects[i], subjects[j]));
  std::vector<char> left(n, 1);
  const auto near = [&](std::size_t i, std::size_t j) {
    return i != j && left[j] && far[i * n + j] <= radius;
  };
  std::vector<std::vector<std::size_t>> out;
  for (;;) {
    std::size_t middle = 0, neighbours = 0;
    for (std::size_t i = 0; i < n; i++) {
      std::size_t found = 0;
      for (std::size_t j = 0; left[i] && j < n; j++) found += near(i, j);
      if (found <= neighbours) continue;
      neighbours = found;
      middle = i;
    }
    if (neighbours == 0) return out;
    std::vector<std::size_t> group{middle};
    for (std::size_t j = 0; j < n; j++)
      if (near(middle, j)) group.push_back(j);
    std::stable_sort(group.begin() + 1, group.end(),
                     [&](std::size_t a, std::size_t b) { return far[middle * n + a] < far[middle * n + b]; });
    group.resize(std::min(group.size(), most));
    for (const std::size_t i : group) left[i] = 0;
    out.push_back(std::move(group));
  }
}

} // namespace vigil::label
