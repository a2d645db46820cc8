// SPDX-License-Identifier: LGPL-2.1-or-later
// What a network says of a picture, by the layout of its output. C is the number of classes.
//
//   classes     1 x C, or any shape of C values: a score for each class of the whole picture. Values of 0..1
//               whose sum is 1 are taken as they are, others by softmax.
//   fastestdet  1 x (5 + C) x H x W: for each cell objectness, offset of the centre (tanh), size (logistic),
//               scores. The score is objectness^0.6 * class^0.4.
//   yolov5      1 x N x (5 + C): for each box centre, size in pixels of the input, objectness, scores; the
//               score is the product.
//   yolov8      1 x (4 + C) x N: the same without objectness.
// Sources: the READMEs and export programs of FastestDet, YOLOv5 and YOLOv8.
#pragma once

#include "../config/geometry.h"
#include "detector_config.h"
#include "network_engine.h"

#include <cstddef>
#include <optional>
#include <string>

namespace vigil::monitor {

struct Finding {
  std::size_t cls = 0;
  double score = 0; // 0..1
  Rect box;         // 0..1 of the input
};

const char *name_of(DetectorLayout);

// Throws Error::bad_data when the output is of another layout or number of classes, with its shape and the
// wanted one, and when it says nothing, since a value of each candidate is infinite or no number.
void check_output(const NetworkOutput &, const DetectorConfig &, std::size_t classes);

// The finding that says what `object`, a part of the input, is: of those that overlap with it by `least` or
// more (intersection over union), the one with the highest product of score and overlap, if its score reaches
// the threshold.
std::optional<Finding> finding_at(const Rect &object, const NetworkOutput &, const DetectorConfig &,
                                  std::size_t classes);

} // namespace vigil::monitor
