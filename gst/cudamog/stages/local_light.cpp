// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/cudamog/stages/local_light.h"

#include "gst/cudamog/stages/cells_of.h"

#include <cstddef>
#include <span>
#include <vector>

namespace vigil::gst::cudamog {

void LocalLightStage::finish(FrameContext &f, Feedback &, Queue &) {
  Detections &d = f.detections;
  if (d.dropped) return;
  const bool any = regions_.take_light(d.cells, f.contours.edges, f.contours.rims);
  d.lit = regions_.light();
  if (!any) return;
  std::erase_if(d.boxes, [&](const Box &b) {
    int light = 0, others = 0;
    for_each_cell(grid_, b, [&](std::size_t cell) {
      light += d.lit[cell] == ghost::light_frames;
      others += d.cells[cell] != 0;
    });
    return light > others;
  });
}

} // namespace vigil::gst::cudamog
