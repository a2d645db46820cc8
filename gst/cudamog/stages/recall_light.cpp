// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/cudamog/stages/recall_light.h"

namespace vigil::gst::cudamog {

void RecallLightStage::prepare(FrameGroup &group, const Feedback &feedback, Queue &queue) {
  const Feedback::Requests &asked = feedback.requests;
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
  if (group.recalled || asked.new_view) group.restart = Restart::scene;
}

} // namespace vigil::gst::cudamog
