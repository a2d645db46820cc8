// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/cleanup/small_object_gate.h"

#include "kernels/cleanup/cleanup.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace vigil::cleanup {
namespace {

constexpr double rate_seconds = 10, share_seconds = 1;
constexpr float most_rate = 0.15f;
constexpr double first_share = 0.02;

// The part of a new value in a moving mean.
double part(double seconds, double of) {
  return 1 - std::exp(-std::max(seconds, 0.) / of);
}

} // namespace

void SmallObjectGate::reset(const cell_grid::Grid &grid) {
  grid_ = grid;
  rate_.assign(std::size_t(grid.cells()), 0.f);
  allowed_.assign(rate_.size(), 0);
  share_ = first_share;
  const double cell = 1. / grid.cells();
  near_others_ = {0.01, 0.02};
  all_ = {std::max(0.002, cell), std::max(0.004, 4 * cell)};
}

void SmallObjectGate::step(std::span<const std::uint8_t> seen, double seconds) {
  const auto by = static_cast<float>(part(seconds, rate_seconds));
  std::size_t count = 0;
  for (std::size_t i = 0; i < rate_.size(); i++) {
    const bool here = seen[i] != 0;
    count += here;
    rate_[i] += by * ((here ? 1.f : 0.f) - rate_[i]);
  }
  share_ += part(seconds, share_seconds) * (double(count) / double(rate_.size()) - share_);
  decide();
}

void SmallObjectGate::decide() {
  near_others_.step(share_);
  all_.step(share_);
  const KeepSmall keep = all_.open           ? KeepSmall::all
                         : near_others_.open ? KeepSmall::near_others
                                             : KeepSmall::none;
  std::fill(allowed_.begin(), allowed_.end(), std::uint8_t(keep));
  if (keep == KeepSmall::none) return;
  for (int row = 0; row < grid_.rows; row++)
    for (int column = 0; column < grid_.columns; column++) {
      if (rate_[std::size_t(row * grid_.columns + column)] < most_rate) continue;
      for (int y = std::max(row - 1, 0); y <= std::min(row + 1, grid_.rows - 1); y++)
        for (int x = std::max(column - 1, 0); x <= std::min(column + 1, grid_.columns - 1); x++)
          allowed_[std::size_t(y * grid_.columns + x)] = 0;
    }
}

} // namespace vigil::cleanup
