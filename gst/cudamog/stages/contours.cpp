// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/cudamog/stages/contours.h"

#include "common/host_buffer.h"

#include <cstddef>

namespace vigil::gst::cudamog {
namespace {

constexpr double due_every = 0.15; // seconds

} // namespace

struct ContoursStage::Data final : StageData {
  Data(Device &device, std::size_t cells)
      : edges(device, sizeof(ghost::Cell) * cells), rims(device, sizeof(ghost::BoundaryContrast) * cells) {}
  HostBuffer edges, rims; // the device writes there
};

std::unique_ptr<StageData> ContoursStage::make_data() {
  return std::make_unique<Data>(device_, std::size_t(grid_.cells()));
}

void ContoursStage::submit(FrameGroup &group, const Feedback &, Queue &queue) {
  const auto cells = std::size_t(grid_.cells());
  for (FrameContext *f : group.frames) {
    if (!f->background.picture.data[0]) continue;
    since_due_ += f->seconds;
    const bool due = since_due_ >= due_every;
    if (due) since_due_ = 0;
    const auto &data = data_of<Data>(*f);
    auto *const edges = data.edges.as<ghost::Cell>();
    auto *const rims = data.rims.as<ghost::BoundaryContrast>();
    outlines_->apply(f->mask, f->compensated, f->background, grid_, edges, rims, queue);
    f->contours = {{edges, cells}, {rims, cells}, due};
  }
}

} // namespace vigil::gst::cudamog
