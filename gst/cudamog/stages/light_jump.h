// SPDX-License-Identifier: LGPL-2.1-or-later
// light-jump: a light that was switched changes most of the picture at once. Frames that say nothing about
// objects lose their detections here: a new model's first frame, and those in which the light changes.
//
//   changed = foreground / n + min(shadow / n, at_once), n: pixels of the region of interest
//             at_once: share of the cells that the model learns at once; there a sample may be the shadow of
//             the component that it has just made (mixture.h), so a shadow is a change like any other
//   jump    when changed >= light-jump; the next one only after changed < light-jump / 2
//   after a jump or a new view, 30 frames say nothing, since cameras need some to find their exposure
//
// Feedback: a jump requests relearn. It and frames within the 30 that have changed >= light-jump request
// recall_light. Source: this project.
#pragma once

#include "gst/cudamog/stage.h"

namespace vigil::gst::cudamog {

class LightJumpStage final : public Stage {
 public:
  const char *name() const override { return "light-jump"; }
  void submit(FrameGroup &, const Feedback &, Queue &) override;
  void finish(FrameContext &, Feedback &, Queue &) override;
  void start_over(Restart) override;

 private:
  Report::Light judge(double changed, double threshold, Feedback &);
  int suspended_ = 0; // finished frames to go that say nothing
  bool armed_ = true; // a new jump would be one
};

} // namespace vigil::gst::cudamog
