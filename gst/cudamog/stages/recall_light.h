// SPDX-License-Identifier: LGPL-2.1-or-later
// A light that was switched: the model takes up what was background the last time that this light was there.
//
// Feedback: with recall_light, the snapshots of the background are compared with the group's first frame
// (BackgroundSnapshots::recall: a line y = gain b + offset a channel, kernels/exposure). Where one explains
// the frame, the model starts from it and all stages start over. Where none does and the light was switched
// just now (relearn), a snapshot of what the model has is kept.
// Where the view has changed no light is looked for.
// A recall waits for the device; that happens only in frames in which most has changed.
#pragma once

#include "gst/cudamog/background_model.h"
#include "gst/cudamog/stage.h"

namespace vigil::gst::cudamog {

class RecallLightStage final : public Stage {
 public:
  explicit RecallLightStage(BackgroundModel &model) : model_(model) {}
  const char *name() const override { return "recall-light"; }
  void prepare(FrameGroup &, const Feedback &, Queue &) override;

 private:
  BackgroundModel &model_;
};

inline void RecallLightStage::prepare(FrameGroup &group, const Feedback &feedback, Queue &queue) {
  const Feedback::Requests &asked = feedback.requests;
  if (group.recalled || group.new_view) return; // by views.h
  if (asked.recall_light && model_.frames() > 0) {
    const Settings &settings = group.settings();
    const bool undone = settings.exposure == ExposureMode::automatic;
    const float most_moved = undone ? BackgroundSnapshots::most_undone : BackgroundSnapshots::most_borne;
    BackgroundSnapshots &snapshots = model_.snapshots();
    if (snapshots.recall(group.frames.front()->input, most_moved, model_.mixture(), settings.mog, queue))
      group.recalled = true;
    else if (asked.relearn)
      snapshots.keep(model_.mixture(), queue);
  }
  if (group.recalled) group.restart = Restart::scene;
}

} // namespace vigil::gst::cudamog
