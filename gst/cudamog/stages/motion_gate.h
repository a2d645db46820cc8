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

inline void MotionGateStage::set_format(const Format &format) {
  if (format.grid == grid_) return;
  grid_ = format.grid;
  gate_.reset(grid_);
}

inline void MotionGateStage::finish(FrameContext &f, Feedback &, Queue &) {
  const Detections &d = f.detections;
  if (d.dropped) return;
  const auto area = double(d.area());
  const MotionSettings &motion = f.settings.motion;
  double moving = area;
  if (!f.contours.edges.empty())
    moving = gate_.step({d.cells, d.lit, f.contours.edges, f.contours.rims, f.seconds}, area,
                        double(motion.threshold) * double(f.roi.pixels > 0 ? f.roi.pixels : 1),
                        motion.delay / 1000.);
  f.report.changed_fraction = f.roi.share(area);
  f.report.moving_fraction = f.roi.share(moving);
}

} // namespace vigil::gst::cudamog
