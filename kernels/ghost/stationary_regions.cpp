// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/ghost/stationary_regions.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace vigil::ghost {
namespace {

// Towards which the evidence moves.
float goal_of(Verdict v) {
  return v == Verdict::object ? 1.f : v == Verdict::ghost ? -1.f : 0.f;
}

constexpr float step_of_evidence = 0.25f, ghost_below = -0.5f, object_above = 0.3f;

// For how many frames of `seconds` each a place is learnt at once after light was seen there.
int frames_of_light(double seconds) {
  if (!(seconds * light_frames > light_seconds)) return light_frames;
  return std::max(static_cast<int>(light_seconds / seconds + 0.5), 1);
}

} // namespace

void StationaryRegions::reset(const cell_grid::Grid &grid) {
  grid_ = grid;
  const auto n = static_cast<std::size_t>(grid.cells());
  covered_.assign(n, 0.f);
  still_.assign(n, 0.f);
  last_count_.assign(n, 0);
  paces_.assign(n, 0);
  light_.assign(n, 0);
  ghost_.assign(n, 0);
  groups_.reset(grid);
  evidence_.assign(n, 0.f);
  stir_.assign(n, 1.f);
  part_.assign(n, Verdict::undecided);
  any_ = false;
  lasts_ = 0;
  ghosts_ = objects_ = 0;
}

void StationaryRegions::step(std::span<const std::uint8_t> in_blob, std::span<const Cell> edges,
                             double seconds, double absorb_after) {
  if (!edges.empty()) judge(in_blob, edges);
  const auto covered = std::count_if(in_blob.begin(), in_blob.end(), [](int v) { return v != 0; });
  const bool keep = double(covered) <= too_much * double(grid_.cells());
  any_ = keep && covered > 0;
  ghosts_ = objects_ = 0;
  lasts_ = seconds;
  const auto lasts = static_cast<float>(seconds);
  std::fill(ghost_.begin(), ghost_.end(), 0);
  for (std::size_t i = 0; i < in_blob.size(); i++) {
    if (!in_blob[i]) {
      covered_[i] = still_[i] = evidence_[i] = 0;
      stir_[i] = 1;
      paces_[i] = std::uint8_t(light_[i] ? AdaptationRate::at_once : AdaptationRate::usual);
      any_ |= light_[i] != 0;
      continue;
    }
    covered_[i] += lasts;
    still_[i] = stir_[i] < still_below ? still_[i] + lasts : 0;
    AdaptationRate pace = AdaptationRate::foreground;
    if (covered_[i] >= settled) {
      const bool is_ghost = evidence_[i]<ghost_below, is_object = evidence_[i]> object_above;
      const bool is_thing = absorb_after > 0 && still_[i] >= static_cast<float>(absorb_after);
      ghosts_ += is_ghost;
      ghost_[i] = is_ghost;
      objects_ += is_object && !is_thing;
      pace = is_ghost || is_thing ? AdaptationRate::at_once
             : is_object          ? AdaptationRate::foreground
                                  : AdaptationRate::undecided;
    }
    paces_[i] = std::uint8_t(keep ? pace : AdaptationRate::usual);
  }
}

bool StationaryRegions::take_light(std::span<std::uint8_t> in_blob, std::span<const Cell> edges,
                                   std::span<const BoundaryContrast> rims) {
  const int gone_at = light_frames - frames_of_light(lasts_);
  for (std::uint8_t &left : light_) left = std::uint8_t(left > gone_at + 1 ? left - 1 : 0);
  if (edges.empty() || rims.empty()) return false;
  bool any = false;
  const auto light_around = [&](int cell, std::uint8_t frames) {
    const int column = cell % grid_.columns, row = cell / grid_.columns, r = light_reach;
    for (int y = std::max(row - r, 0); y <= std::min(row + r, grid_.rows - 1); y++)
      for (int x = std::max(column - r, 0); x <= std::min(column + r, grid_.columns - 1); x++) {
        std::uint8_t &left = light_[std::size_t(y * grid_.columns + x)];
        left = std::max(left, frames);
      }
  };
  groups_.for_each(in_blob, [&](std::span<const int> cells) {
    Cell sum;
    BlobRim rim;
    std::size_t before = 0;
    for (const int cell : cells) {
      sum += edges[std::size_t(cell)];
      rim += rims[std::size_t(cell)];
      before += light_[std::size_t(cell)] > 0;
    }
    if (!is_light(sum, rim, 2 * before >= cells.size())) return;
    any = true;
    for (const int cell : cells) light_around(cell, light_frames - 1);
    for (const int cell : cells) light_[std::size_t(cell)] = light_frames;
  });
  for (std::size_t i = 0; i < light_.size(); i++)
    if (light_[i] == light_frames)
      in_blob[i] = 0;
    else if (in_blob[i])
      light_[i] = 0;
  return any;
}

Cell StationaryRegions::around(int cell, std::span<const std::uint8_t> in_blob,
                               std::span<const Cell> edges) const {
  const int column = cell % grid_.columns, row = cell / grid_.columns, r = part_reach;
  Cell sum;
  for (int y = std::max(row - r, 0); y <= std::min(row + r, grid_.rows - 1); y++)
    for (int x = std::max(column - r, 0); x <= std::min(column + r, grid_.columns - 1); x++) {
      const auto i = std::size_t(y * grid_.columns + x);
      if (in_blob[i]) sum += edges[i]; // neighbours are of one blob
    }
  return sum;
}

void StationaryRegions::judge(std::span<const std::uint8_t> in_blob, std::span<const Cell> edges) {
  groups_.for_each(in_blob, [&](std::span<const int> cells) {
    Cell sum, rest; // of all cells, and of those in no ghost part
    double moved = 0;
    std::size_t objects = 0, ghosts = 0;
    for (const int c : cells) {
      const auto cell = std::size_t(c);
      sum += edges[cell];
      moved += std::abs(double(edges[cell].pixels) - double(last_count_[cell]));
      part_[cell] = decide(around(c, in_blob, edges), clearly_part);
      objects += part_[cell] == Verdict::object;
      ghosts += part_[cell] == Verdict::ghost;
      if (part_[cell] != Verdict::ghost) rest += edges[cell];
    }
    const bool divided = objects >= least_part && ghosts >= least_part;
    const Verdict v = decide(divided ? rest : sum);
    const auto stir = static_cast<float>(std::min(1., moved / std::max(1., double(sum.outline))));
    for (const int c : cells) {
      const auto cell = std::size_t(c);
      const float goal = goal_of(divided && part_[cell] == Verdict::ghost ? Verdict::ghost : v);
      evidence_[cell] += step_of_evidence * (goal - evidence_[cell]);
      stir_[cell] += step_of_evidence * (stir - stir_[cell]);
    }
  });
  for (std::size_t i = 0; i < edges.size(); i++) last_count_[i] = edges[i].pixels;
}

} // namespace vigil::ghost
