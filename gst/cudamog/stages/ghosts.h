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

#include <cstddef>
#include <cstdint>
#include <span>

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

inline void GhostsStage::set_format(const Format &format) {
  if (format.grid == grid_) return;
  grid_ = format.grid;
  regions_.reset(grid_);
}

inline void GhostsStage::finish(FrameContext &f, Feedback &feedback, Queue &) {
  Detections &d = f.detections;
  std::span<const ghost::Cell> edges;
  if (f.contours.due) edges = f.contours.edges;
  regions_.step(d.cells, edges, f.seconds, double(f.settings.tuning.absorb_after));
  feedback.adaptation = regions_.any() ? regions_.paces() : std::span<const std::uint8_t>{};
  f.report.ghost_cells = regions_.ghosts();
  f.report.object_cells = regions_.objects();
  if (regions_.ghosts() == 0) return;
  for (BlobBox &b : d.boxes) {
    int ghost = 0, all = 0;
    for_each_cell(grid_, b, [&](std::size_t cell) {
      ghost += regions_.is_ghost(cell);
      all += d.cells[cell] != 0;
    });
    b.ghost = 2 * ghost > all;
  }
}

inline void GhostsStage::turned_off(FrameContext &, Feedback &feedback) {
  regions_.reset(grid_);
  feedback.adaptation = {};
}

} // namespace vigil::gst::cudamog
