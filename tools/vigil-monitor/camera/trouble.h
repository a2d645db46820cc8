// SPDX-License-Identifier: LGPL-2.1-or-later
// What is wrong with the camera itself, as cudamog finds it: covered, out of focus, moved. Each is an event
// that lasts as long as the trouble, with a clip of its beginning: a lens that stays covered would fill the
// disk. Knows no GStreamer.
#pragma once

#include "event_tracker.h"

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace vigil::monitor {

class CameraTrouble {
 public:
  explicit CameraTrouble(EventTracker &events) : events_(events) {}

  // `label`: of the event, camera-covered, camera-blurred or camera-moved.
  static bool is_label(const std::string &);
  // `left`: how much of the picture before is still seen, 0 to 1. `shift`: of a camera that was moved, in
  // pixels.
  void begin(const std::string &label, double time, double left, std::optional<Point> shift);
  void end(const std::string &label, double time);
  void clock_set(double change);
  void forget();

  std::optional<Point> shift() const { return shift_; }
  nlohmann::json describe() const { return since_; }

 private:
  EventTracker &events_;
  std::map<std::string, double> since_; // by kind: covered, blurred, moved
  std::optional<Point> shift_;
};

} // namespace vigil::monitor
