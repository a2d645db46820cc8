// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/cudamog/stages/stabilize.h"

#include "common/host_buffer.h"

namespace vigil::gst::cudamog {

struct StabilizeStage::Data final : StageData {
  explicit Data(Device &device)
      : applied(device, sizeof(registration::AppliedShift)),
        host_copy(device, sizeof(registration::AppliedShift)) {}
  DeviceBuffer applied;
  HostBuffer host_copy; // the device writes there
};

void StabilizeStage::set_format(const Format &format) {
  known_draw_ = 0;
  if (format.grid == grid_) return;
  grid_ = format.grid;
  registration_->forget();
}

std::unique_ptr<StageData> StabilizeStage::make_data() {
  return std::make_unique<Data>(device_);
}

void StabilizeStage::submit(FrameGroup &group, const Feedback &, Queue &queue) {
  for (FrameContext *f : group.frames) {
    if (!f->background.picture.data[0] || f->learning.relearning) continue;
    if (known_draw_ != background_.draws()) registration_->set_background(background_.image(), queue);
    known_draw_ = background_.draws();
    const auto &data = data_of<Data>(*f);
    auto *const applied = data.applied.as<registration::AppliedShift>();
    registration_->find(f->input, applied, data.host_copy.as<registration::AppliedShift>(), queue);
    f->background = background_.through(&applied->shift, queue);
  }
}

void StabilizeStage::finish(FrameContext &f, Feedback &, Queue &) {
  if (f.background.by)
    f.report.shift = data_of<Data>(f).host_copy.as<const registration::AppliedShift>()->shift;
}

void StabilizeStage::start_over(Restart) {
  registration_->forget();
  known_draw_ = 0;
}

} // namespace vigil::gst::cudamog
