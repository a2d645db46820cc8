// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/cudamog/stages/tamper.h"

#include "common/host_buffer.h"

#include <algorithm>
#include <cstddef>
#include <optional>

namespace vigil::gst::cudamog {

struct TamperStage::Data final : StageData {
  Data(Device &device, int cells) : spots(device, sizeof(tamper::Spot) * std::size_t(std::max(cells, 1))) {}
  HostBuffer spots;             // the device writes there
  std::optional<double> lasted; // seconds since the last spots; none: there are no spots of this frame
};

std::unique_ptr<StageData> TamperStage::make_data() {
  return std::make_unique<Data>(device_, layout_.cells());
}

void TamperStage::submit(FrameGroup &group, const Feedback &, Queue &queue) {
  for (FrameContext *f : group.frames) {
    auto &data = data_of<Data>(*f);
    data.lasted = detector_.due(f->seconds);
    if (data.lasted) sampler_->apply(f->input, data.spots.as<tamper::Spot>(), queue);
  }
}

void TamperStage::finish(FrameContext &f, Feedback &feedback, Queue &) {
  const auto &data = data_of<Data>(f);
  if (!data.lasted) return;
  f.report.tamper = detector_.look(
      layout_, {data.spots.as<const tamper::Spot>(), std::size_t(layout_.cells())}, *data.lasted);
  const std::optional<tamper::Event> &event = f.report.tamper;
  feedback.requests.new_view |= event && event->begins && event->trouble == tamper::TamperKind::moved;
}

void TamperStage::turned_off(FrameContext &f, Feedback &) {
  f.report.tamper = detector_.stop();
}

void TamperStage::start_over(Restart restart) {
  if (restart == Restart::all) detector_.forget();
}

} // namespace vigil::gst::cudamog
