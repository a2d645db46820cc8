// SPDX-License-Identifier: LGPL-2.1-or-later
// The search on the CPU. It is cheap where the camera stands still: the frame's luma is then read at the
// points alone.
#include "kernels/registration/handover.h"
#include "kernels/registration/host_look.h"
#include "kernels/registration/points.h"
#include "kernels/registration/pyramid.h"

#include <algorithm>
#include <optional>

namespace vigil::registration {
namespace {

class CpuRegistration final : public Registration {
 public:
  explicit CpuRegistration(bool turns) : turns_(turns) {}
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
    const int longest = std::max(frame.width, frame.height), range = range_of(longest);
    const auto score = [&](Shift s) { return points_.score(frame, s); };
    const HostLook look(score, points_.reach(), longest);
    Near near = search_near(look, last_);
    if (near.lost) {
      if (!built_) known_.build(background_, *grid_);
      built_ = true;
      frame_.build(frame, *grid_);
      search_far(look, near, find_coarse(Pyramids{frame_, known_, *grid_}, *grid_, range), grid_->cell);
    }
    if (turns_) search_turned(look, near, last_);
    return found_by(near, points_.count());
  }

  const bool turns_;
  Points points_;
  ConstImage background_;
  std::optional<CoarseGrid> grid_; // of background_
  bool built_ = false;             // known_, of background_
  Pyramid known_, frame_;
  Shift last_;
  Handover handover_;
};

} // namespace

std::unique_ptr<Registration> make_cpu(bool turns) {
  return std::make_unique<CpuRegistration>(turns);
}

} // namespace vigil::registration
