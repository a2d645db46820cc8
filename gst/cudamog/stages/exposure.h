// SPDX-License-Identifier: LGPL-2.1-or-later
// exposure: what the camera's exposure and white balance did to a frame is undone before the model sees it.
// Finds y = gain b + offset for each channel, where y is a sample of the frame and b the background's, in
// grey levels (robust fit with medians and least squares: kernels/exposure/exposure.h; source: this project).
// Slow daylight changes are not compensated, or the model would still describe noon at dusk. Frames of a
// model that is relearnt stay as they are.
#pragma once

#include "common/host_buffer.h"
#include "gst/cudamog/background_model.h"
#include "gst/cudamog/device_picture.h"
#include "gst/cudamog/stage.h"

#include <memory>
#include <utility>

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

struct ExposureStage::Data final : StageData {
  Data(Device &device, const Format &f)
      : mapped(device, f.pixels, f.grid.width, f.grid.height), lines(device, sizeof(exposure::Lines)) {}
  DevicePicture mapped;
  HostBuffer lines; // the device writes there
  bool estimated = false;
};

inline void ExposureStage::set_format(const Format &format) {
  format_ = format;
  exposure_->set_colours(format.colours);
}

inline std::unique_ptr<StageData> ExposureStage::make_data() {
  return std::make_unique<Data>(device_, format_);
}

inline void ExposureStage::submit(FrameGroup &group, const Feedback &, Queue &queue) {
  for (FrameContext *f : group.frames) {
    auto &data = data_of<Data>(*f);
    data.estimated = f->background.picture.data[0] && !f->learning.relearning;
    if (!data.estimated) continue;
    if (std::exchange(begins_, false)) exposure_->set({}, queue);
    exposure_->set_host_copy(data.lines.as<exposure::Lines>());
    f->compensated = exposure_->apply(f->input, f->background, model_.mixture().config().channels,
                                      data.mapped.image(), queue);
  }
}

inline void ExposureStage::finish(FrameContext &f, Feedback &, Queue &) {
  const auto &data = data_of<Data>(f);
  if (data.estimated) f.report.exposure = data.lines.as<const exposure::Lines>()->channel[0];
}

inline void ExposureStage::start_over(Restart restart) {
  begins_ |= restart == Restart::scene;
}

} // namespace vigil::gst::cudamog
