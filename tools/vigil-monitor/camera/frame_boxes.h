// SPDX-License-Identifier: LGPL-2.1-or-later
// Boxes and scores that the chain found in a frame, out of the frame's metadata.
#pragma once

#include "../config/geometry.h"

#include <gst/gst.h>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace vigil::monitor {

struct FrameBoxes {
  std::vector<Rect> boxes; // from 0 to 1
  double area = 0;         // of all
};
// Of cudamog, in a frame of this size.
FrameBoxes motion_boxes(GstBuffer *, int width, int height);

// Takes boxes off a frame that moves as a whole. The buffer must be writable.
void drop_boxes(GstBuffer *);

struct FrameScores {
  std::map<std::string, double> scores; // by class
  std::vector<float> vector;
};
// Of gpufisher; none: it said nothing of this frame.
std::optional<FrameScores> fisher_scores(GstBuffer *);

} // namespace vigil::monitor
