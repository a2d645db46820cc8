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
  bool asked = false;           // else whether it is looked at is asked when the frame before is finished
  std::optional<double> lasted; // seconds since the last look; none: it is not looked at
};

std::unique_ptr<StageData> TamperStage::make_data() {
  return std::make_unique<Data>(device_, layout_.cells());
}

void TamperStage::submit(FrameGroup &group, const Feedback &feedback, Queue &queue) {
  at_once_ |= feedback.requests.look;
  const bool ahead = frames_run_ahead(group.settings().flow);
  for (FrameContext *f : group.frames) {
    auto &data = data_of<Data>(*f);
    data.asked = !ahead;
    data.lasted = ahead ? std::nullopt : detector_.due(f->seconds, std::exchange(at_once_, false));
    if (ahead || data.lasted) sampler_->apply(f->input, data.spots.as<tamper::Spot>(), queue);
  }
}

void TamperStage::finish(FrameContext &f, Feedback &feedback, Queue &) {
  auto &data = data_of<Data>(f);
  if (!std::exchange(data.asked, true)) {
    at_once_ |= std::exchange(feedback.requests.look, false);
    data.lasted = detector_.due(f.seconds, std::exchange(at_once_, false));
  }
  f.sketched = data.lasted;
  if (!data.lasted) return;
  f.report.tamper = detector_.look(
      layout_, {data.spots.as<const tamper::Spot>(), std::size_t(layout_.cells())}, *data.lasted);
}

bool TamperStage::frames_run_ahead(const Flow &flow) const {
  return flow.async_depth > 0 || flow.group_size > 1 ||
         (flow.async_depth == automatic_depth && device_.backend() != Backend::cpu);
}

void TamperStage::turned_off(FrameContext &f, Feedback &) {
  f.report.tamper = detector_.stop();
}

void TamperStage::start_over(Restart restart) {
  if (restart == Restart::all) detector_.forget();
}

} // namespace vigil::gst::cudamog
