// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/cudamog/stages/motion_gate.h"

namespace vigil::gst::cudamog {

void MotionGateStage::set_format(const Format &format) {
  if (format.grid == grid_) return;
  grid_ = format.grid;
  gate_.reset(grid_);
}

void MotionGateStage::finish(FrameContext &f, Feedback &, Queue &) {
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
