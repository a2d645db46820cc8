// SPDX-License-Identifier: LGPL-2.1-or-later
// foreground-rate and absorb-after: are regions that stay foreground objects, or ghosts, the ground that an
// object laid bare? An object has edges along its outline in the frame, a ghost has them in the background
// (kernels/ghost/ghost.h, after Cucchiara et al. 2003). How evidence, stillness and time decide:
// kernels/ghost/stationary_regions.h. A box of which more than half of the cells are a ghost's is marked as
// one.
//
// Feedback: the adaptation map. Objects are learnt slowly, ghosts, light and motionless things at once.
#pragma once

#include "gst/cudamog/stage.h"
#include "kernels/ghost/stationary_regions.h"

namespace vigil::gst::cudamog {

class GhostsStage final : public Stage {
 public:
  const char *name() const override { return "ghosts"; }
  bool is_on(const Settings &s) const override { return adapts_rate(s); }
  void set_format(const Format &) override;
  void finish(FrameContext &, Feedback &, Queue &) override;
  void turned_off(FrameContext &, Feedback &) override;
  void start_over(Restart) override { regions_.reset(grid_); }
  ghost::StationaryRegions &stationary_regions() { return regions_; }

 private:
  cell_grid::Grid grid_;
  ghost::StationaryRegions regions_;
};

} // namespace vigil::gst::cudamog
