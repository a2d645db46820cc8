// SPDX-License-Identifier: LGPL-2.1-or-later
// Decides which foreground counts as motion. Only motion-begin and motion-end use it; masks and boxes do not.
// Blobs whose difference goes on beyond their outline, or whose ground keeps its edges, are not motion; small
// groups of pixels that move for seconds are, although they are no blobs (kernels/ghost/motion_gate.h;
// source: this project). Fractions are of the region of interest, 0..1. Where outlines are not measured, all
// boxes count.
#pragma once

#include "gst/cudamog/stage.h"
#include "kernels/ghost/motion_gate.h"

namespace vigil::gst::cudamog {

class MotionGateStage final : public Stage {
 public:
  const char *name() const override { return "motion-gate"; }
  void set_format(const Format &) override;
  void finish(FrameContext &, Feedback &, Queue &) override;
  void start_over(Restart) override { gate_.reset(grid_); }

 private:
  cell_grid::Grid grid_;
  ghost::MotionGate gate_;
};

} // namespace vigil::gst::cudamog
