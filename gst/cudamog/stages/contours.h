// SPDX-License-Identifier: LGPL-2.1-or-later
// Sums along the outlines of the mask, a cell of the grid each: how strong the edges are there in the frame
// and in the background (kernels/ghost/ghost.h, after Cucchiara et al. 2003), and whether the difference
// between the two ends at the outline (kernels/ghost/boundary_contrast.h). local_light.h, motion_gate.h and
// ghosts.h decide by them. Every 0.15 s of the stream, or each frame where that is longer, stationary regions
// are due to be judged.
#pragma once

#include "common/host_buffer.h"
#include "gst/cudamog/stage.h"
#include "kernels/ghost/contour_features.h"

#include <cstddef>
#include <memory>

namespace vigil::gst::cudamog {

class ContoursStage final : public Stage {
 public:
  explicit ContoursStage(Device &device) : device_(device), outlines_(ghost::make(device)) {}
  const char *name() const override { return "contours"; }
  bool is_on(const Settings &s) const override { return adapts_rate(s); }
  void set_format(const Format &format) override { grid_ = format.grid; }
  std::unique_ptr<StageData> make_data() override;
  void submit(FrameGroup &, const Feedback &, Queue &) override;

 private:
  static constexpr double due_every = 0.15; // seconds
  struct Data;
  Device &device_;
  cell_grid::Grid grid_;
  std::unique_ptr<ghost::ContourFeatures> outlines_;
  double since_due_ = 0; // seconds
};

struct ContoursStage::Data final : StageData {
  Data(Device &device, std::size_t cells)
      : edges(device, sizeof(ghost::Cell) * cells), rims(device, sizeof(ghost::BoundaryContrast) * cells) {}
  HostBuffer edges, rims; // the device writes there
};

inline std::unique_ptr<StageData> ContoursStage::make_data() {
  return std::make_unique<Data>(device_, std::size_t(grid_.cells()));
}

inline void ContoursStage::submit(FrameGroup &group, const Feedback &, Queue &queue) {
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
