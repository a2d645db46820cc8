// SPDX-License-Identifier: LGPL-2.1-or-later
// An outage is an event, too: it says in which time nobody can know what happened in front of the camera. A
// short one, as when a camera starts again, is none. Knows no GStreamer.
#pragma once

#include "camera_services.h"

#include <optional>
#include <string>

namespace vigil::monitor {

class OutageLog {
 public:
  OutageLog(std::string camera, std::string label, CameraNews &);

  // Times are UTC. The camera has been away since then. A second call does not begin another outage.
  void away(double since);
  void tick(double now); // once a second
  void end(double time);
  void clock_set(double now, double change); // what goes on ends by the old clock

 private:
  const std::string camera_, label_;
  CameraNews &news_;
  std::optional<double> since_;
  std::optional<Event> event_; // of the outage that goes on
};

} // namespace vigil::monitor
