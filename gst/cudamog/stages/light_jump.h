// SPDX-License-Identifier: LGPL-2.1-or-later
// light-jump: a light that was switched changes most of the picture at once. Frames that say nothing about
// objects lose their detections here: a new model's first frame, and those in which the light changes.
//
//   changed = foreground / n + min(shadow / n, at_once), n: pixels of the region of interest
//             at_once: share of the cells that the model learns at once; there a sample may be the shadow of
//             the component that it has just made (mixture.h), so a shadow is a change like any other
//   jump    when changed >= light-jump; the next one only after changed < light-jump / 2
//   after a jump or a new view, 30 frames say nothing, since cameras need some to find their exposure; nor
//   does a frame that shows another view (views.h)
//
// Feedback: a jump requests relearn. It and frames within the 30 that have changed >= light-jump request
// recall_light. Where changed grows by `sudden` from a frame to the next, look asks whether that is a view.
// Source: this project.
#pragma once

#include "gst/cudamog/stage.h"

#include <algorithm>
#include <cstdint>

namespace vigil::gst::cudamog {

class LightJumpStage final : public Stage {
 public:
  const char *name() const override { return "light-jump"; }
  void submit(FrameGroup &, const Feedback &, Queue &) override;
  void finish(FrameContext &, Feedback &, Queue &) override;
  void start_over(Restart) override;

 private:
  static void drop(Detections &d) {
    d.dropped = true;
    d.boxes.clear();
    std::fill(d.cells.begin(), d.cells.end(), std::uint8_t{0});
  }
  Report::Light judge(double changed, double threshold, Feedback &);
  static constexpr double sudden = 0.02; // share of the picture
  double changed_before_ = 0;
  int suspended_ = 0; // finished frames to go that say nothing
  bool armed_ = true; // a new jump would be one
};

inline void LightJumpStage::submit(FrameGroup &group, const Feedback &, Queue &) {
  if (group.new_view) suspended_ = Feedback::relearn_frames;
}

inline Report::Light LightJumpStage::judge(double changed, double threshold, Feedback &feedback) {
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

inline void LightJumpStage::finish(FrameContext &f, Feedback &feedback, Queue &) {
  Detections &d = f.detections;
  if (f.learning.first || f.of_view_before) return drop(d);
  const float threshold = f.settings.tuning.light_jump;
  const double changed =
      f.roi.share(double(d.foreground)) + std::min(f.roi.share(double(d.shadow)), f.learning.at_once);
  feedback.requests.look |= changed - changed_before_ >= sudden;
  changed_before_ = changed;
  f.report.light = judge(changed, threshold, feedback);
  if (f.another_view) drop(d);
  if (f.report.light == Report::Light::steady) return;
  drop(d);
  f.report.changed_fraction = std::min(changed, 1.);
  feedback.requests.recall_light |= f.report.changed_fraction >= threshold;
}

inline void LightJumpStage::start_over(Restart restart) {
  if (restart >= Restart::model) *this = {};
}

} // namespace vigil::gst::cudamog
