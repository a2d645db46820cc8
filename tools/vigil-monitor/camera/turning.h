// SPDX-License-Identifier: LGPL-2.1-or-later
// When a camera turns on somebody's order, when its picture is still again, and which preset it then shows.
// Until then nothing that it sees is an event. Knows neither GStreamer nor the camera. For the main thread.
#pragma once

#include <string>

namespace vigil::monitor {

class Turning {
 public:
  enum class Step {
    none,
    learn, // the picture is still: the model of the view before is of no use
    over   // what is found is an event again
  };
  // Somebody orders the camera to turn, at a time of the monotonic clock; `preset`: to this one's view, empty: to no known
  // one.
  void order(double now, const std::string &preset);
  // It did not take the last order. True when it stayed where it was.
  bool refused();
  // Once a second. `still`: nothing of the picture has moved lately; `learns`: the step `learn` is done.
  Step tick(double now, bool still, bool learns);

  void is_at(const std::string &preset) { at_ = preset; } // the view now is this preset's
  void left(const std::string &preset) {                  // there is no such preset any more
    if (at_ == preset) at_.clear();
  }
  void moved() { at_.clear(); } // by somebody else

  bool quiet() const { return state_ != State::resting; }
  const std::string &at() const { return at_; } // the preset that is shown, or is on its way; empty: none
  // Whether the view is a preset's and known well enough to be kept.
  bool knows_view(double now) const;

  static constexpr double least = 3, longest = 60; // seconds from the last order to a still picture
  static constexpr double settles = 1;             // and on until what is found counts
  static constexpr double learns_for = 10;         // until a view is worth keeping

 private:
  enum class State { resting, turns, settling };
  State state_ = State::resting;
  std::string at_, before_;
  int orders_ = 0;                            // of this turn
  double last_ = 0, settled_ = 0, since_ = 0; // the last order; still; at rest
};

} // namespace vigil::monitor
