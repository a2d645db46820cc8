// SPDX-License-Identifier: LGPL-2.1-or-later
// Scores over time as an SVG picture, a panel for each video, as in W. Ma et al. 2016, figure 5: curves, the
// thresholds at which events begin, frames that are labelled, events that were found.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace vigil::train {

struct FrameRange {
  double first, last; // frame numbers
};
struct TimeCurve {
  std::vector<double> scores;           // of each of the panel's frames
  double begin;                         // threshold
  std::vector<FrameRange> truth, found; // labelled with the class; events
};
struct TimePanel {
  std::string title;
  std::vector<double> frames; // numbers, rising
  std::vector<FrameRange> unlabelled;
  std::vector<TimeCurve> classes;
};

inline constexpr std::size_t most_time_panels = 60; // those after them are left out, and the picture says so
std::string draw_scores(const std::string &note, const std::vector<std::string> &classes,
                        const std::vector<TimePanel> &);

} // namespace vigil::train
