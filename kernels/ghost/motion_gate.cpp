// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/ghost/motion_gate.h"

#include "kernels/ghost/stationary_regions.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace vigil::ghost {
namespace {

constexpr double most_covering = 0.65; // what goes on more than this says nothing of what stands there
constexpr double just_below = 0.99, just_above = 1.0001; // of the threshold
constexpr std::size_t few = 2;                           // cells

} // namespace

struct MotionGate::Group {
  Group(std::span<const int> cells, const Frame &f) {
    Cell sum;
    BlobRim rim;
    for (const int cell : cells) {
      sum += f.edges[std::size_t(cell)];
      rim += f.rims[std::size_t(cell)];
    }
    pixels = sum.pixels;
    rim_pixels = rim.pixels;
    known = rim.inside > 0;
    if (!known) return;
    on = double(rim.outside) / double(rim.inside);
    has_edges = double(rim.background) >= textured * textured * double(rim.pixels);
    if (has_edges && rim.frame > 0)
      kept = double(rim.both) / std::sqrt(double(rim.frame) * double(rim.background));
  }
  bool looks_lit() const {
    return known && (kept > most_kept || (on > most_on && (!has_edges || kept >= least_kept)));
  }
  bool is_clear() const { return on <= clear_on && kept <= clear_kept; }
  bool stands_out(bool doubted) const {
    return !known || rim_pixels < least_pixels ||
           (on <= most_on && kept <= most_kept && (is_clear() || !doubted));
  }
  bool is_weak(bool doubted) const {
    return known && pixels >= least_weak && rim_pixels >= least_rim && on <= weak_on && kept <= weak_kept &&
           (is_clear() || !doubted);
  }
  std::uint32_t pixels = 0;
  std::uint64_t rim_pixels = 0;
  bool known = false, has_edges = false;
  double on = 0, kept = 0;
};

void MotionGate::reset(const cell_grid::Grid &grid) {
  grid_ = grid;
  const auto n = std::size_t(grid.cells());
  groups_.reset(grid);
  trail_.reset(grid);
  strays_ = {};
  rest_.assign(n, 0);
  taken_.assign(n, 0);
  covered_.assign(n, 0);
  doubt_.assign(n, 0);
  passing_ = 0;
  passes_ = false;
}

std::size_t MotionGate::cover(std::span<const int> cells, double lasts, double most) {
  constexpr double rounding = 1e-9;
  std::size_t fresh = 0;
  for (const int c : cells) {
    const auto cell = std::size_t(c);
    taken_[cell] = 1;
    covered_[cell] += lasts;
    fresh += covered_[cell] <= most + rounding;
    covered_[cell] = std::min(covered_[cell], longest);
  }
  return fresh;
}

void MotionGate::forget(double lasts) {
  for (std::size_t i = 0; i < covered_.size(); i++)
    if (!std::exchange(taken_[i], std::uint8_t{0})) covered_[i] = std::max(covered_[i] - forgets * lasts, 0.);
}

bool MotionGate::are_doubted(std::span<const int> cells) const {
  const auto n = std::ranges::count_if(cells, [&](int c) { return doubt_[std::size_t(c)] > 0; });
  return n > 0 && 2 * std::size_t(n) >= cells.size();
}

void MotionGate::pass_doubt_on(double lasts) {
  for (double &left : doubt_) left = std::max(left - lasts, 0.);
  for (const int c : unclear_) {
    const int column = c % grid_.columns, row = c / grid_.columns, r = doubt_reach;
    for (int y = std::max(row - r, 0); y <= std::min(row + r, grid_.rows - 1); y++)
      for (int x = std::max(column - r, 0); x <= std::min(column + r, grid_.columns - 1); x++)
        doubt_[std::size_t(y * grid_.columns + x)] = doubt_for;
  }
  unclear_.clear();
}

namespace {

// For how many seconds new cells are covered at the most, where motion must have gone on for `delay`: at less
// than a frame a second that is the first frame, and those after it until the delay is over.
double newest(double lasts, double delay) {
  return std::max(new_for + delay, lasts * (1 + std::ceil(delay / std::max(lasts, 1e-3))));
}

} // namespace

double MotionGate::step(const Frame &f, double reported, double threshold, double delay) {
  double pixels = reported, sure = 0, faint = 0, others = 0;
  bool comes = false; // a blob is in new cells
  const auto note_light = [&](const Group &g, std::span<const int> cells) {
    if (g.looks_lit()) unclear_.insert(unclear_.end(), cells.begin(), cells.end());
  };
  groups_.for_each(f.in_blob, [&](std::span<const int> cells) {
    const Group g(cells, f);
    const bool doubted = are_doubted(cells), follows = trail_.add(cells, f.seconds) || delay < trail_delay;
    note_light(g, cells);
    if (!g.stands_out(doubted) || !follows) others += g.pixels;
    if (!follows) strays_.add(g.pixels, trail_.chance(cells), true);
    if (!g.stands_out(false)) {
      pixels -= g.pixels;
      return;
    }
    const std::size_t fresh = cover(cells, f.seconds, newest(f.seconds, delay));
    const bool new_here = 2 * fresh >= cells.size();
    if (!follows) pixels -= g.pixels;
    if (!g.stands_out(doubted) || !follows) return;
    sure += g.pixels;
    comes |= new_here || fresh >= few;
    if (new_here && g.is_weak(doubted)) faint += g.pixels;
  });
  for (std::size_t i = 0; i < rest_.size(); i++) {
    const bool lit = f.light[i] == light_frames;
    if (lit) {
      others += f.edges[i].pixels;
      unclear_.push_back(int(i));
    }
    rest_[i] = !f.in_blob[i] && !lit && f.edges[i].pixels > 0;
  }
  groups_.for_each(rest_, [&](std::span<const int> cells) {
    const Group g(cells, f);
    if (g.pixels < least_weak) return;
    note_light(g, cells);
    const bool follows = trail_.add(cells, f.seconds) || delay < trail_delay;
    const bool new_here = (g.known && g.on > most_covering) ||
                          2 * cover(cells, f.seconds, newest(f.seconds, 0)) >= cells.size();
    if (!follows) {
      others += g.pixels;
      strays_.add(g.pixels, trail_.chance(cells), false);
    } else if (g.is_weak(are_doubted(cells)))
      faint += new_here ? g.pixels : 0;
    else if (g.rim_pixels >= least_rim && g.on > most_on)
      others += g.pixels;
  });
  trail_.end();
  forget(f.seconds);
  pass_doubt_on(f.seconds);
  const Strays::Pixels chance = strays_.end(f.seconds);
  pixels = std::max(pixels - chance.blobs, 0.);
  sure -= chance.blobs;
  faint -= chance.all;
  if (sure > 0) sure *= sure / (sure + light_weight * others);
  if (faint > 0) faint *= faint / (faint + others);
  const double w = faint > 0 ? std::min(faint / std::max(threshold, 1.), 1.) : 0;
  passing_ = std::clamp(passing_ + f.seconds * (w - leak), 0., 2 * enough);
  passes_ = passing_ >= enough || (passes_ && passing_ >= enough / 2);
  if ((!comes || sure < threshold) && pixels >= threshold && threshold > 0) pixels = just_below * threshold;
  return passes_ && faint > 0 ? std::max(pixels, just_above * threshold) : pixels;
}

} // namespace vigil::ghost
