// SPDX-License-Identifier: LGPL-2.1-or-later
// A receiver operating characteristic as an SVG picture: true positives against false positives, a curve a
// sequence, as in Pham et al. 2010, figure 10.
#pragma once

#include <string>
#include <vector>

namespace vigil::eval {

struct RocPoint {
  double false_positive_rate, true_positive_rate; // 0..1; NaN is left out
  std::string label;                              // shown on hovering
};
struct RocCurve {
  std::string name;
  std::vector<RocPoint> points; // joined in this order
};

// What is counted: "false positives (% of ...)".
struct RocAxes {
  std::string negatives = "background pixels", positives = "foreground pixels";
};
// The note stands below the legend, in as many lines as it needs.
std::string draw_roc(const std::string &title, const std::string &note, const std::vector<RocCurve> &,
                     const RocAxes & = {});

} // namespace vigil::eval
