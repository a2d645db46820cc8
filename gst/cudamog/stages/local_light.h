// SPDX-License-Identifier: LGPL-2.1-or-later
// Takes illumination out of the detections: the shadow of a cloud, the light of a lamp. A blob is light where
// the difference to the background goes on beyond its outline and the ground keeps its edges
// (ghost::is_light, kernels/ghost/boundary_contrast.h; source: this project). Its cells are learnt at once
// from then on (kernels/ghost/stationary_regions.h). A box goes with the blob when more of its cells are
// light than are in another blob.
#pragma once

#include "gst/cudamog/stage.h"
#include "kernels/ghost/stationary_regions.h"

#include <cstddef>
#include <span>
#include <vector>

namespace vigil::gst::cudamog {

class LocalLightStage final : public Stage {
 public:
  // The regions are those of ghosts.h, which come after this stage.
  explicit LocalLightStage(ghost::StationaryRegions &regions) : regions_(regions) {}
  const char *name() const override { return "local-light"; }
  bool is_on(const Settings &s) const override { return adapts_rate(s); }
  void set_format(const Format &format) override { grid_ = format.grid; }
  void finish(FrameContext &, Feedback &, Queue &) override;

 private:
  ghost::StationaryRegions &regions_;
  cell_grid::Grid grid_;
};

inline void LocalLightStage::finish(FrameContext &f, Feedback &, Queue &) {
  Detections &d = f.detections;
  if (d.dropped) return;
  const bool any = regions_.take_light(d.cells, f.contours.edges, f.contours.rims);
  d.lit = regions_.light();
  if (!any) return;
  std::erase_if(d.boxes, [&](const BlobBox &b) {
    int light = 0, others = 0;
    for_each_cell(grid_, b, [&](std::size_t cell) {
      light += d.lit[cell] == ghost::light_frames;
      others += d.cells[cell] != 0;
    });
    return light > others;
  });
}

} // namespace vigil::gst::cudamog
