// SPDX-License-Identifier: LGPL-2.1-or-later
// stabilize: the sway of the camera's pole. Finds the shift of each frame against the background, in whole
// pixels, up to a tenth of the longest side: the mean agreement of a few hundred edge points
// (kernels/registration/registration.h; source: this project). Turns of up to 2 degrees and zooms of up to
// 2 % are found as well, on the CPU alone. The background and the model are then addressed through this
// shift, so masks and boxes stay where things are in the frame. The device keeps the shift; the host learns
// it when the frame is finished.
#pragma once

#include "common/host_buffer.h"
#include "gst/cudamog/bordered_picture.h"
#include "gst/cudamog/device_picture.h"
#include "gst/cudamog/stage.h"
#include "kernels/registration/registration.h"

#include <cstdint>
#include <memory>

namespace vigil::gst::cudamog {

class StabilizeStage final : public Stage {
 public:
  StabilizeStage(Device &device, BorderedPicture &background)
      : device_(device), background_(background), registration_(registration::make(device)) {}
  const char *name() const override { return "stabilize"; }
  bool is_on(const Settings &s) const override { return s.stabilize == StabilizeMode::automatic; }
  void set_format(const Format &) override;
  std::unique_ptr<StageData> make_data() override;
  void submit(FrameGroup &, const Feedback &, Queue &) override;
  void finish(FrameContext &, Feedback &, Queue &) override;
  void start_over(Restart) override;

 private:
  struct Data;
  Device &device_;
  BorderedPicture &background_;
  Format format_;
  std::unique_ptr<registration::Registration> registration_;
  std::uint64_t known_draw_ = 0; // of the background that registration_ knows; 0: none
};

struct StabilizeStage::Data final : StageData {
  Data(Device &device, const Format &f)
      : applied(device, sizeof(registration::AppliedShift)),
        host_copy(device, sizeof(registration::AppliedShift)) {
    if (device.backend() == Backend::cpu)
      turned = DevicePicture(device, f.pixels, f.grid.width, f.grid.height);
  }
  DeviceBuffer applied;
  HostBuffer host_copy; // the device writes there
  DevicePicture turned; // the background, where the frame is turned
};

inline void StabilizeStage::set_format(const Format &format) {
  known_draw_ = 0;
  const bool same = format.grid == format_.grid;
  format_ = format;
  if (same) return;
  registration_->forget();
}

inline std::unique_ptr<StageData> StabilizeStage::make_data() {
  return std::make_unique<Data>(device_, format_);
}

inline void StabilizeStage::submit(FrameGroup &group, const Feedback &, Queue &queue) {
  for (FrameContext *f : group.frames) {
    if (!f->background.picture.data[0] || f->learning.relearning) continue;
    if (known_draw_ != background_.draws()) registration_->set_background(background_.image(), queue);
    known_draw_ = background_.draws();
    const auto &data = data_of<Data>(*f);
    auto *const applied = data.applied.as<registration::AppliedShift>();
    registration_->find(f->input, applied, data.host_copy.as<registration::AppliedShift>(), queue);
    f->background = background_.through(&applied->shift, data.turned.image(), queue);
  }
}

inline void StabilizeStage::finish(FrameContext &f, Feedback &, Queue &) {
  if (f.background.by)
    f.report.shift = data_of<Data>(f).host_copy.as<const registration::AppliedShift>()->shift;
}

inline void StabilizeStage::start_over(Restart) {
  registration_->forget();
  known_draw_ = 0;
}

} // namespace vigil::gst::cudamog
