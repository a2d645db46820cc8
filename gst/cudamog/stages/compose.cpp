// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/cudamog/stages/compose.h"

#include "common/on_device_thread.h"

namespace vigil::gst::cudamog {

void ComposeStage::submit(FrameGroup &group, const Feedback &, Queue &queue) {
  for (FrameContext *f : group.frames)
    if (f->settings.output == Output::foreground)
      composer_->foreground(f->input, f->mask, style_, f->output, queue);
    else if (f->settings.output == Output::background)
      model_.mixture().background(f->output, queue);
}

// Where there is no model yet, its background is black.
void ComposeStage::pass_by(FrameContext &f, Queue &queue) {
  if (f.settings.output == Output::overlay)
    composer_->overlay(f.input, f.mask, {}, style_, f.output, queue);
  else if (f.settings.output == Output::background && model_.exists())
    model_.mixture().background(f.output, queue);
  else
    composer_->foreground(f.input, f.mask, style_, f.output, queue);
}

void ComposeStage::finish(FrameContext &f, Feedback &, Queue &queue) {
  if (f.settings.output != Output::overlay) return;
  on_device_thread(device_, [&] {
    composer_->overlay(f.input, f.mask, boxes_to_draw(f.detections.boxes), style_, f.output, queue);
  });
}

} // namespace vigil::gst::cudamog
