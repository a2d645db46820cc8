// SPDX-License-Identifier: LGPL-2.1-or-later
// The search. It is cheap where the camera stands still: the frame's luma is then read at the points alone.
#include "kernels/registration/points.h"
#include "kernels/registration/pyramid.h"

#include <cmath>

namespace vigil::registration {
namespace {

struct Peak {
  Shift at;
  double score = 0;
};

class CpuRegistration final : public Registration {
 public:
  void know(const ConstImage &background) override {
    points_.choose(background);
    range_ = range_of(std::max(background.width, background.height));
    background_ = background;
    built_ = false;
  }

  Found find(const ConstImage &frame) override {
    points_.check(frame);
    Found found{{}, points_.count(), 0, 0};
    if (points_.count() < least_points) {
      last_ = {};
      return found;
    }
    const Peak rest{{}, points_.score(frame, {})};
    Peak best = rest.score >= at_once ? rest : climb(frame, rest, 1, 1);
    if (!stands(rest, best)) {
      best = higher(best, climb(frame, best, 1, most_steps));
      if (last_ != Shift{})
        best = higher(best, climb(frame, {last_, points_.score(frame, last_)}, 1, most_steps));
      if (best.score < still) {
        if (!built_) known_.build(background_);
        built_ = true;
        frame_.build(frame);
        const Shift s = find_coarse(frame_, known_, range_);
        const int step = std::max(1, frame_.cell() / 4);
        best = higher(best, climb(frame, {s, points_.score(frame, s)}, step, most_steps));
      }
    }
    if (best.score < least_score || best.score < rest.score + margin) best = rest;
    last_ = best.at;
    found.shift = best.at;
    found.score = best.score;
    found.at_rest = rest.score;
    return found;
  }

  void forget() override { last_ = {}; }

 private:
  static constexpr int most_steps = 12;
  static bool stands(const Peak &rest, const Peak &best) {
    return rest.score >= still && best.score < rest.score + margin;
  }
  static Peak higher(const Peak &a, const Peak &b) { return b.score > a.score ? b : a; }

  // To the best of the eight neighbours at `step` pixels, until none is better, then with half the step.
  Peak climb(const ConstImage &frame, Peak from, int step, int most) const {
    for (; step >= 1; step /= 2)
      for (int n = 0; n < most; n++) {
        Peak best = from;
        for (int dy = -step; dy <= step; dy += step)
          for (int dx = -step; dx <= step; dx += step) {
            const Shift s{from.at.x + dx, from.at.y + dy};
            if (s == from.at || std::abs(s.x) > range_ || std::abs(s.y) > range_) continue;
            best = higher(best, {s, points_.score(frame, s)});
          }
        if (best.at == from.at) break;
        from = best;
      }
    return from;
  }

  int range_ = 0;
  Points points_;
  ConstImage background_;
  bool built_ = false; // known_, of background_
  Pyramid known_, frame_;
  Shift last_;
};

} // namespace

std::unique_ptr<Registration> make_cpu() {
  return std::make_unique<CpuRegistration>();
}

} // namespace vigil::registration
