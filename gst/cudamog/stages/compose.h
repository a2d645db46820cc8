// SPDX-License-Identifier: LGPL-2.1-or-later
// output: the picture that comes out, where that is neither the mask nor the frame itself
// (kernels/compose/compose.h).
//   foreground, background   drawn when the frame is submitted
//   overlay                  drawn when it is finished, since it needs the boxes
#pragma once

#include "common/on_device_thread.h"
#include "gst/cudamog/background_model.h"
#include "gst/cudamog/stage.h"
#include "kernels/compose/compose.h"

#include <memory>

namespace vigil::gst::cudamog {

class ComposeStage final : public Stage {
 public:
  ComposeStage(Device &device, BackgroundModel &model)
      : device_(device), model_(model), composer_(compose::make(device)) {}
  const char *name() const override { return "compose"; }
  bool is_on(const Settings &s) const override {
    return s.output != Output::mask && s.output != Output::passthrough;
  }
  void set_format(const Format &format) override { style_ = format.style; }
  void submit(FrameGroup &, const Feedback &, Queue &) override;
  void finish(FrameContext &, Feedback &, Queue &) override;
  void pass_by(FrameContext &, Queue &) override;

 private:
  Device &device_;
  BackgroundModel &model_;
  std::unique_ptr<compose::Composer> composer_;
  compose::Style style_;
};

inline void ComposeStage::submit(FrameGroup &group, const Feedback &, Queue &queue) {
  for (FrameContext *f : group.frames)
    if (f->settings.output == Output::foreground)
      composer_->foreground(f->input, f->mask, style_, f->output, queue);
    else if (f->settings.output == Output::background)
      model_.mixture().background(f->output, queue);
}

// Where there is no model yet, its background is black.
inline void ComposeStage::pass_by(FrameContext &f, Queue &queue) {
  if (f.settings.output == Output::overlay)
    composer_->overlay(f.input, f.mask, {}, style_, f.output, queue);
  else if (f.settings.output == Output::background && model_.exists())
    model_.mixture().background(f.output, queue);
  else
    composer_->foreground(f.input, f.mask, style_, f.output, queue);
}

inline void ComposeStage::finish(FrameContext &f, Feedback &, Queue &queue) {
  if (f.settings.output != Output::overlay) return;
  on_device_thread(device_, [&] {
    composer_->overlay(f.input, f.mask, boxes_to_draw(f.detections.boxes), style_, f.output, queue);
  });
}

} // namespace vigil::gst::cudamog
