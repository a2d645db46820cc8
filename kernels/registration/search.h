// SPDX-License-Identifier: LGPL-2.1-or-later
// The search of the CPU and the CUDA backend. It looks at no shift first: where that scores at_once, or
// `still` and none of its neighbours is better by `margin`, it is the answer. Else it climbs from there and
// from the last shift, each to the next peak of the score, and, where none of these reaches `still`, also
// from what a pyramid of coarse pictures says (coarse.h), and takes the highest. Where that is less than
// at_once, the CPU climbs on from there, and from the last frame's, to what is turned or larger as well.
//
// `Look` knows the points and the frame:
//   Peak at(Shift)                        a shift with its score
//   Peak best_around(Peak from, int step) the best of `from` and the eight shifts around it at `step` pixels
//                                         that are within the range; of equals the first, row by row
// and for search_turned:
//   Peak best_turned(Peak from, int step) the same around its turn (as x) and zoom (as y)
//   int reach()                           of the points
#pragma once

#include "kernels/registration/point.h"

namespace vigil::registration {

struct Peak {
  Shift at;
  float score = 0;
};
VIGIL_HOST_DEVICE inline const Peak &higher(const Peak &a, const Peak &b) {
  return b.score > a.score ? b : a;
}

inline constexpr int most_steps = 12;

// To the best of the eight neighbours at `step` pixels, until none is better, then with half the step.
template <class Look>
VIGIL_HOST_DEVICE Peak climb(const Look &look, Peak from, int step, int most) {
  for (; step >= 1; step /= 2)
    for (int n = 0; n < most; n++) {
      const Peak best = look.best_around(from, step);
      if (best.at == from.at) break;
      from = best;
    }
  return from;
}

// To the best of the eight neighbours that are turned or larger by a step, and from there to the best shift
// nearby, until none is better; then with smaller steps.
template <class Look>
VIGIL_HOST_DEVICE Peak climb_turned(const Look &look, Peak from) {
  for (int step = 2 * look.reach(); step >= 1; step /= 2)
    for (int n = 0; n < most_steps; n++) {
      const Peak best = look.best_turned(from, step);
      if (best.at == from.at) break;
      from = climb(look, best, step < 2 ? 1 : step / 2, 1);
    }
  return from;
}

// What is found near no shift and near the last one. `lost`: the pyramid is to be asked. `turned` is the best
// that may be turned, where that was looked for.
struct Near {
  Peak rest, best, turned;
  bool lost = false;
};
template <class Look>
VIGIL_HOST_DEVICE Near search_near(const Look &look, Shift last) {
  Near n;
  n.rest = look.at({});
  n.best = n.rest.score >= at_once ? n.rest : climb(look, n.rest, 1, 1);
  if (n.rest.score >= still && n.best.score < n.rest.score + margin) return n;
  n.best = climb(look, n.best, 1, most_steps);
  if (last.x != 0 || last.y != 0)
    n.best = higher(n.best, climb(look, look.at({last.x, last.y}), 1, most_steps));
  n.lost = n.best.score < still;
  return n;
}
// From what the pyramid says; `cell`: pixels of its lowest level's cells.
template <class Look>
VIGIL_HOST_DEVICE void search_far(const Look &look, Near &n, Shift coarse, int cell) {
  n.best = higher(n.best, climb(look, look.at(coarse), cell < 8 ? 1 : cell / 4, most_steps));
}
// Afterwards, where even the best shift leaves points that do not agree.
template <class Look>
VIGIL_HOST_DEVICE void search_turned(const Look &look, Near &n, Shift last) {
  if (n.best.score >= at_once) return;
  n.turned = climb_turned(look, n.best);
  if (last.is_turned())
    n.turned = higher(n.turned, climb_turned(look, climb(look, look.at(last), 1, most_steps)));
}
VIGIL_HOST_DEVICE inline Match found_by(const Near &n, int points) {
  const bool shifted = n.best.score >= least_score && n.best.score >= n.rest.score + margin;
  const Peak &plain = shifted ? n.best : n.rest;
  const bool turned = n.turned.at.is_turned() && n.turned.score >= least_score &&
                      n.turned.score >= plain.score + turned_margin;
  const Peak &best = turned ? n.turned : plain;
  return {best.at, points, best.score, n.rest.score};
}

} // namespace vigil::registration
