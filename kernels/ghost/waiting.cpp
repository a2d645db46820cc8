// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/ghost/waiting.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace vigil::ghost {
namespace {

constexpr float step_of_evidence = 0.25f, ghost_below = -0.5f, object_above = 0.3f;

} // namespace

void Waiting::reset(const activity::Grid &grid) {
  grid_ = grid;
  const auto n = static_cast<std::size_t>(grid.cells());
  covered_.assign(n, 0.f);
  still_.assign(n, 0.f);
  last_count_.assign(n, 0);
  paces_.assign(n, 0);
  seen_.assign(n, 0);
  evidence_.assign(n, 0.f);
  stir_.assign(n, 1.f);
  members_.reserve(n);
  any_ = false;
  ghosts_ = objects_ = 0;
}

void Waiting::step(std::span<const std::uint8_t> in_blob, std::span<const Cell> edges, double seconds,
                   double absorb_after) {
  if (!edges.empty()) judge(in_blob, edges);
  const auto covered = std::count_if(in_blob.begin(), in_blob.end(), [](int v) { return v != 0; });
  any_ = covered > 0 && double(covered) <= too_much * double(grid_.cells());
  ghosts_ = objects_ = 0;
  const auto lasts = static_cast<float>(seconds);
  for (std::size_t i = 0; i < in_blob.size(); i++) {
    if (!in_blob[i]) {
      covered_[i] = still_[i] = evidence_[i] = 0;
      stir_[i] = 1;
      paces_[i] = std::uint8_t(Pace::usual);
      continue;
    }
    covered_[i] += lasts;
    still_[i] = stir_[i] < still_below ? still_[i] + lasts : 0;
    Pace pace = Pace::foreground;
    if (covered_[i] >= settled) {
      const bool is_ghost = evidence_[i]<ghost_below, is_object = evidence_[i]> object_above;
      const bool is_thing = absorb_after > 0 && still_[i] >= static_cast<float>(absorb_after);
      ghosts_ += is_ghost;
      objects_ += is_object && !is_thing;
      pace = is_ghost || is_thing ? Pace::at_once : is_object ? Pace::foreground : Pace::undecided;
    }
    paces_[i] = std::uint8_t(pace);
  }
}

// Floods from each cell that no blob has yet.
void Waiting::judge(std::span<const std::uint8_t> in_blob, std::span<const Cell> edges) {
  std::fill(seen_.begin(), seen_.end(), 0);
  const auto visit = [&](int cell) {
    if (!in_blob[cell] || seen_[cell]) return;
    seen_[cell] = 1;
    members_.push_back(cell);
  };
  for (int first = 0; first < grid_.cells(); first++) {
    members_.clear();
    visit(first);
    Cell sum;
    double moved = 0;
    for (std::size_t i = 0; i < members_.size(); i++) { // grows while the blob does
      const int cell = members_[i], column = cell % grid_.columns, row = cell / grid_.columns;
      sum += edges[cell];
      moved += std::abs(double(edges[cell].pixels) - double(last_count_[cell]));
      for (int y = std::max(row - 1, 0); y <= std::min(row + 1, grid_.rows - 1); y++)
        for (int x = std::max(column - 1, 0); x <= std::min(column + 1, grid_.columns - 1); x++)
          visit(y * grid_.columns + x);
    }
    const Verdict v = decide(sum);
    const float goal = v == Verdict::object ? 1.f : v == Verdict::ghost ? -1.f : 0.f;
    const auto stir = static_cast<float>(moved / std::max(1., double(sum.outline)));
    for (const int cell : members_) {
      evidence_[cell] += step_of_evidence * (goal - evidence_[cell]);
      stir_[cell] += step_of_evidence * (stir - stir_[cell]);
    }
  }
  for (std::size_t i = 0; i < edges.size(); i++) last_count_[i] = edges[i].pixels;
}

} // namespace vigil::ghost
