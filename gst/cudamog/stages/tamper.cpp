// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/cudamog/stages/tamper.h"

#include "common/host_buffer.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

namespace vigil::gst::cudamog {

struct TamperStage::Data final : StageData {
  Data(Device &device, int cells) : spots(device, sizeof(tamper::Spot) * std::size_t(std::max(cells, 1))) {}
  HostBuffer spots;             // the device writes there
  std::optional<double> lasted; // seconds since the last spots; none: there are no spots of this frame
};

std::unique_ptr<StageData> TamperStage::make_data() {
  return std::make_unique<Data>(device_, layout_.cells());
}

void TamperStage::submit(FrameGroup &group, const Feedback &feedback, Queue &queue) {
  bool at_once = feedback.requests.look;
  for (FrameContext *f : group.frames) {
    auto &data = data_of<Data>(*f);
    data.lasted = detector_.due(f->seconds, std::exchange(at_once, false));
    if (data.lasted) sampler_->apply(f->input, data.spots.as<tamper::Spot>(), queue);
  }
}

void TamperStage::finish(FrameContext &f, Feedback &, Queue &) {
  const auto &data = data_of<Data>(f);
  f.sketched = data.lasted;
  if (!data.lasted) return;
  f.report.tamper = detector_.look(
      layout_, {data.spots.as<const tamper::Spot>(), std::size_t(layout_.cells())}, *data.lasted);
}

void TamperStage::turned_off(FrameContext &f, Feedback &) {
  f.report.tamper = detector_.stop();
}

void TamperStage::start_over(Restart restart) {
  if (restart == Restart::all) detector_.forget();
}

} // namespace vigil::gst::cudamog
