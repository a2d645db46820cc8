// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/ghost/waiting.h"

#include <algorithm>

namespace vigil::ghost {
namespace {

constexpr float settled = 1.f; // seconds
constexpr float step_of_evidence = 0.25f, ghost_below = -0.5f, object_above = 0.3f;

} // namespace

void Waiting::reset(const activity::Grid &grid) {
  grid_ = grid;
  const auto n = static_cast<std::size_t>(grid.cells());
  covered_.assign(n, 0.f);
  evidence_.assign(n, 0.f);
  paces_.assign(n, 0);
  seen_.assign(n, 0);
  members_.reserve(n);
  any_ = false;
  ghosts_ = objects_ = 0;
}

void Waiting::step(std::span<const std::uint8_t> in_blob, std::span<const Cell> edges, double seconds,
                   double absorb_after) {
  if (!edges.empty()) judge(in_blob, edges);
  any_ = false;
  ghosts_ = objects_ = 0;
  for (std::size_t i = 0; i < in_blob.size(); i++) {
    if (!in_blob[i]) {
      covered_[i] = evidence_[i] = 0;
      paces_[i] = std::uint8_t(Pace::usual);
      continue;
    }
    any_ = true;
    covered_[i] += static_cast<float>(seconds);
    Pace pace = Pace::foreground;
    if (covered_[i] >= settled) {
      const bool is_ghost = evidence_[i] < ghost_below, object = evidence_[i] > object_above;
      ghosts_ += is_ghost;
      objects_ += object;
      const bool over = absorb_after > 0 && covered_[i] >= static_cast<float>(absorb_after);
      pace = is_ghost || over ? Pace::at_once : object ? Pace::foreground : Pace::undecided;
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
    for (std::size_t i = 0; i < members_.size(); i++) { // grows while the blob does
      const int cell = members_[i], column = cell % grid_.columns, row = cell / grid_.columns;
      sum += edges[cell];
      for (int y = std::max(row - 1, 0); y <= std::min(row + 1, grid_.rows - 1); y++)
        for (int x = std::max(column - 1, 0); x <= std::min(column + 1, grid_.columns - 1); x++)
          visit(y * grid_.columns + x);
    }
    const Verdict v = decide(sum);
    const float goal = v == Verdict::object ? 1.f : v == Verdict::ghost ? -1.f : 0.f;
    for (const int cell : members_) evidence_[cell] += step_of_evidence * (goal - evidence_[cell]);
  }
}

} // namespace vigil::ghost
