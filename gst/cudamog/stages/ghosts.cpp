// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/cudamog/stages/ghosts.h"

#include "gst/cudamog/stages/cells_of.h"

#include <cstddef>
#include <cstdint>
#include <span>

namespace vigil::gst::cudamog {

void GhostsStage::set_format(const Format &format) {
  if (format.grid == grid_) return;
  grid_ = format.grid;
  regions_.reset(grid_);
}

void GhostsStage::finish(FrameContext &f, Feedback &feedback, Queue &) {
  Detections &d = f.detections;
  std::span<const ghost::Cell> edges;
  if (f.contours.due) edges = f.contours.edges;
  regions_.step(d.cells, edges, f.seconds, double(f.settings.tuning.absorb_after));
  feedback.adaptation = regions_.any() ? regions_.paces() : std::span<const std::uint8_t>{};
  f.report.ghost_cells = regions_.ghosts();
  f.report.object_cells = regions_.objects();
  if (regions_.ghosts() == 0) return;
  for (Box &b : d.boxes) {
    int ghost = 0, all = 0;
    for_each_cell(grid_, b, [&](std::size_t cell) {
      ghost += regions_.is_ghost(cell);
      all += d.cells[cell] != 0;
    });
    b.ghost = 2 * ghost > all;
  }
}

void GhostsStage::turned_off(FrameContext &, Feedback &feedback) {
  regions_.reset(grid_);
  feedback.adaptation = {};
}

} // namespace vigil::gst::cudamog
