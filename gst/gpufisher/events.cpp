// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/gpufisher/events.h"

namespace vigil::gst::gpufisher {

void Events::step(std::span<const float> scores, int window, const fisher::Classifier &thresholds,
                  float offset) {
  for (std::size_t c = 0; c < classes_.size(); c++) {
    Class &k = classes_[c];
    k.smoothed = k.smoother.step(scores[c], window, thresholds.baseline);
    k.change = Change::none;
    if (!k.active && k.smoothed >= thresholds.begin[c] + offset)
      k.change = Change::begin;
    else if (k.active && k.smoothed < thresholds.end[c] + offset)
      k.change = Change::end;
    if (k.change != Change::none) k.active = !k.active;
  }
}

void Events::stop() {
  for (Class &k : classes_) {
    k.change = k.active ? Change::end : Change::none;
    k.active = false;
    k.smoother.forget();
  }
}

void Events::forget() {
  for (Class &k : classes_) k.smoother.forget();
}

} // namespace vigil::gst::gpufisher
