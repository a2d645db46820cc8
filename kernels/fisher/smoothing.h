// SPDX-License-Identifier: LGPL-2.1-or-later
// What becomes of one class's scores before they are compared with thresholds; gpufisher and vigil-train both
// do it this way:
//
//   smoothed_t = median(s_t, s_t-1, ... the last `window` scores) - lower_quartile(the last `baseline`
//   scores)
//
// (of all there are, while they are fewer; the median is the mean of the middle two where their number is
// even; the quartile is element floor((n - 1) / 4) of the n in rising order; with a baseline of 0 nothing is
// taken away). Only scores that came before count, so a stream is smoothed as it comes.
//
// The baseline is what the scene scores when nothing happens. Light, weather or a moved camera shift all
// scores of a scene alike; less their own quartile they are comparable from day to day. A score that stays
// high becomes the rule after three quarters of the baseline, so an event must be shorter than that.
#pragma once

#include <cstddef>
#include <deque>
#include <vector>

namespace vigil::fisher {

class Smoother {
 public:
  float step(float score, int window, int baseline);
  void forget() { scores_.clear(); } // time jumped
  void gap() { fresh_ = 0; }         // frames are left out here: the median starts over, the baseline goes on

 private:
  std::deque<float> scores_; // the last max(window, baseline)
  std::size_t fresh_ = 0;    // of them since the last gap
  std::vector<float> sorted_;
};

} // namespace vigil::fisher
