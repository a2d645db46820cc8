// SPDX-License-Identifier: LGPL-2.1-or-later
// From a score per scored frame to the begin and end of an event, for each class by itself:
//
//   smoothed = median of the last `window` scores, less the baseline if the classifier has one
//   (kernels/fisher/smoothing.h)
//   begin    when smoothed >= begin threshold, end when smoothed < end threshold (which is no higher)
//
// The median is causal: an event that begins at once is reported (window - 1) / 2 scored frames later, and a
// single odd frame is not reported at all.
#pragma once

#include "kernels/fisher/fisher.h"
#include "kernels/fisher/smoothing.h"

#include <span>
#include <vector>

namespace vigil::gst::gpufisher {

class Events {
 public:
  enum class Change { none, begin, end };

  explicit Events(int classes) : classes_(static_cast<std::size_t>(classes)) {}

  // Takes the scores of one frame. What changed in a class is in change(class) until the next call. The
  // classifier's thresholds are raised by `offset`.
  void step(std::span<const float> scores, int window, const fisher::Classifier &, float offset);
  // The stream is over, or another model comes: what goes on ends.
  void stop();
  // Forgets the scores, not what goes on: time jumped.
  void forget();

  int classes() const { return static_cast<int>(classes_.size()); }
  Change change(int c) const { return classes_[std::size_t(c)].change; }
  float smoothed(int c) const { return classes_[std::size_t(c)].smoothed; }
  bool active(int c) const { return classes_[std::size_t(c)].active; }

 private:
  struct Class {
    fisher::Smoother smoother;
    float smoothed = 0;
    bool active = false;
    Change change = Change::none;
  };
  std::vector<Class> classes_;
};

} // namespace vigil::gst::gpufisher
