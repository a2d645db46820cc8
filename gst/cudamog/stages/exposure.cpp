// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/cudamog/stages/exposure.h"

#include "common/host_buffer.h"
#include "gst/cudamog/device_picture.h"

#include <utility>

namespace vigil::gst::cudamog {

struct ExposureStage::Data final : StageData {
  Data(Device &device, const Format &f)
      : mapped(device, f.pixels, f.grid.width, f.grid.height), lines(device, sizeof(exposure::Lines)) {}
  DevicePicture mapped;
  HostBuffer lines; // the device writes there
  bool estimated = false;
};

void ExposureStage::set_format(const Format &format) {
  format_ = format;
  exposure_->set_colours(format.colours);
}

std::unique_ptr<StageData> ExposureStage::make_data() {
  return std::make_unique<Data>(device_, format_);
}

void ExposureStage::submit(FrameGroup &group, const Feedback &, Queue &queue) {
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

void ExposureStage::finish(FrameContext &f, Feedback &, Queue &) {
  const auto &data = data_of<Data>(f);
  if (data.estimated) f.report.exposure = data.lines.as<const exposure::Lines>()->channel[0];
}

void ExposureStage::start_over(Restart restart) {
  begins_ |= restart == Restart::scene;
}

} // namespace vigil::gst::cudamog
