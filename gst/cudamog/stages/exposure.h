// SPDX-License-Identifier: LGPL-2.1-or-later
// exposure: what the camera's exposure and white balance did to a frame is undone before the model sees it.
// Finds y = gain b + offset for each channel, where y is a sample of the frame and b the background's, in
// grey levels (robust fit with medians and least squares: kernels/exposure/exposure.h; source: this project).
// Slow daylight changes are not compensated, or the model would still describe noon at dusk. Frames of a
// model that is relearnt stay as they are.
#pragma once

#include "gst/cudamog/background_model.h"
#include "gst/cudamog/stage.h"

#include <memory>

namespace vigil::gst::cudamog {

class ExposureStage final : public Stage {
 public:
  ExposureStage(Device &device, BackgroundModel &model)
      : device_(device), model_(model), exposure_(exposure::make(device)) {}
  const char *name() const override { return "exposure"; }
  bool is_on(const Settings &s) const override { return s.exposure == ExposureMode::automatic; }
  void set_format(const Format &) override;
  std::unique_ptr<StageData> make_data() override;
  void submit(FrameGroup &, const Feedback &, Queue &) override;
  void finish(FrameContext &, Feedback &, Queue &) override;
  void start_over(Restart) override;

 private:
  struct Data;
  Device &device_;
  BackgroundModel &model_;
  std::unique_ptr<exposure::Exposure> exposure_;
  Format format_;
  bool begins_ = false; // the lines of the frames before count no longer
};

} // namespace vigil::gst::cudamog
