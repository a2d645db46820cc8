// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/cudamog/stages/light_jump.h"

#include <algorithm>

namespace vigil::gst::cudamog {
namespace {

void drop(Detections &d) {
  d.dropped = true;
  d.boxes.clear();
  std::fill(d.cells.begin(), d.cells.end(), std::uint8_t{0});
}

} // namespace

void LightJumpStage::submit(FrameGroup &, const Feedback &feedback, Queue &) {
  if (feedback.requests.new_view) suspended_ = Feedback::relearn_frames;
}

Report::Light LightJumpStage::judge(double changed, double threshold, Feedback &feedback) {
  using enum Report::Light;
  if (threshold <= 0) {
    feedback.requests.relearn = false;
    feedback.requests.stop_relearning = true;
    suspended_ = 0;
    armed_ = true;
    return steady;
  }
  if (changed < threshold / 2) armed_ = true;
  if (suspended_ > 0) {
    suspended_--;
    return relearning;
  }
  if (!armed_ || changed < threshold) return steady;
  armed_ = false;
  suspended_ = Feedback::relearn_frames;
  feedback.requests.relearn = true;
  feedback.requests.stop_relearning = false;
  return jumped;
}

void LightJumpStage::finish(FrameContext &f, Feedback &feedback, Queue &) {
  Detections &d = f.detections;
  if (f.learning.first) return drop(d);
  const float threshold = f.settings.tuning.light_jump;
  const double changed =
      f.roi.share(double(d.foreground)) + std::min(f.roi.share(double(d.shadow)), f.learning.at_once);
  f.report.light = judge(changed, threshold, feedback);
  if (f.report.light == Report::Light::steady) return;
  drop(d);
  f.report.changed_fraction = std::min(changed, 1.);
  feedback.requests.recall_light |= f.report.changed_fraction >= threshold;
}

void LightJumpStage::start_over(Restart restart) {
  if (restart >= Restart::model) *this = {};
}

} // namespace vigil::gst::cudamog
