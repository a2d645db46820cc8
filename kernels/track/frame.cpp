// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/track/frame.h"

#include <algorithm>
#include <cmath>

namespace vigil::track {
namespace {

constexpr double widest = 1e6; // px; no box of a picture is larger or further away

bool usable(const Box &b) {
  return std::isfinite(b.x) && std::isfinite(b.y) && b.width > 0 && b.height > 0 && b.width <= widest &&
         b.height <= widest && std::abs(b.x) <= widest && std::abs(b.y) <= widest;
}

} // namespace

void Frame::take(std::span<const Detection> detections) {
  boxes.clear();
  for (std::size_t i = 0; i < detections.size(); i++)
    if (usable(detections[i].box)) {
      ObservedBox box;
      box.detection = detections[i];
      box.index = static_cast<int>(i);
      boxes.push_back(box);
    }
  passed_over = detections.size() - std::min(boxes.size(), most_boxes);
  if (boxes.size() <= most_boxes) return;
  std::nth_element(boxes.begin(), boxes.begin() + most_boxes, boxes.end(),
                   [](const ObservedBox &a, const ObservedBox &b) {
                     const double of_a = area(a.detection.box), of_b = area(b.detection.box);
                     return of_a != of_b ? of_a > of_b : a.index < b.index;
                   });
  boxes.resize(most_boxes);
  std::sort(boxes.begin(), boxes.end(),
            [](const ObservedBox &a, const ObservedBox &b) { return a.index < b.index; });
}

} // namespace vigil::track
