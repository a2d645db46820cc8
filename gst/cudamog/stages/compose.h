// SPDX-License-Identifier: LGPL-2.1-or-later
// output: the picture that comes out, where that is neither the mask nor the frame itself
// (kernels/compose/compose.h).
//   foreground, background   drawn when the frame is submitted
//   overlay                  drawn when it is finished, since it needs the boxes
#pragma once

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

} // namespace vigil::gst::cudamog
