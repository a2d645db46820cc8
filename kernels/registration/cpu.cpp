// SPDX-License-Identifier: LGPL-2.1-or-later
// The search on the CPU. It is cheap where the camera stands still: the frame's luma is then read at the
// points alone.
#include "kernels/registration/handover.h"
#include "kernels/registration/points.h"
#include "kernels/registration/pyramid.h"

#include <algorithm>
#include <cstdlib>
#include <optional>

namespace vigil::registration {
namespace {

struct Look {
  const Points &points;
  const ConstImage &frame;
  int range;
  Peak at(Shift s) const { return {s, points.score(frame, s)}; }
  Peak best_around(const Peak &from, int step) const {
    Peak best = from;
    for (int dy = -step; dy <= step; dy += step)
      for (int dx = -step; dx <= step; dx += step) {
        const Shift s{from.at.x + dx, from.at.y + dy};
        if (s == from.at || std::abs(s.x) > range || std::abs(s.y) > range) continue;
        best = higher(best, at(s));
      }
    return best;
  }
};

class CpuRegistration final : public Registration {
 public:
  void set_background(const ConstImage &background, Queue &) override {
    points_.choose(background);
    background_ = background;
    grid_.emplace(background.width, background.height);
    built_ = false;
  }

  void find(const ConstImage &frame, AppliedShift *sway, AppliedShift *host_copy, Queue &) override {
    points_.check(frame);
    const Match found = found_in(frame);
    last_ = found.shift;
    *sway = {handover_.step(found), found};
    if (host_copy) *host_copy = *sway;
  }

  void forget() override {
    last_ = {};
    handover_.forget();
  }

 private:
  Match found_in(const ConstImage &frame) {
    if (points_.count() < least_points) return {{}, points_.count(), 0, 0};
    const int range = range_of(std::max(frame.width, frame.height));
    const Look look{points_, frame, range};
    Near near = search_near(look, last_);
    if (near.lost) {
      if (!built_) known_.build(background_, *grid_);
      built_ = true;
      frame_.build(frame, *grid_);
      search_far(look, near, find_coarse(Pyramids{frame_, known_, *grid_}, *grid_, range), grid_->cell);
    }
    return found_by(near, points_.count());
  }

  Points points_;
  ConstImage background_;
  std::optional<CoarseGrid> grid_; // of background_
  bool built_ = false;             // known_, of background_
  Pyramid known_, frame_;
  Shift last_;
  Handover handover_;
};

} // namespace

std::unique_ptr<Registration> make_cpu() {
  return std::make_unique<CpuRegistration>();
}

} // namespace vigil::registration
