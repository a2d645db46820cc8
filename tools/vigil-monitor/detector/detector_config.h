// SPDX-License-Identifier: LGPL-2.1-or-later
// The section `detector` of the configuration.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace vigil::monitor {

// How a network answers; answer.h describes each.
enum class DetectorLayout { classes, fastestdet, yolov5, yolov8 };

struct DetectorConfig {
  std::string model; // a file, ONNX
  DetectorLayout layout = DetectorLayout::fastestdet;
  int width = 352, height = 352; // of the network's input
  bool bgr = false;              // the order of its colours
  std::string classes_file;      // a name a line; or
  std::vector<std::string> classes;
  std::map<std::string, std::string> labels; // by class; empty: each class by its own name
  double threshold = 0.5;                    // least score of an answer
  double rate = 2;                           // inferences a second, of one camera
  bool operator==(const DetectorConfig &) const = default;
};

} // namespace vigil::monitor
