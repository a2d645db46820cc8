// SPDX-License-Identifier: LGPL-2.1-or-later
// What a camera finds by itself becomes events with labels of their own: device-motion, device-tamper,
// device-input, device-line. It is trusted in nothing: sources and beginnings have limits. For the main
// thread; knows no GStreamer.
#pragma once

#include "../onvif/notices.h"
#include "event_tracker.h"

#include <deque>
#include <map>
#include <set>
#include <string>

namespace vigil::monitor {

class DeviceEvents {
 public:
  explicit DeviceEvents(EventTracker &events) : events_(events) {}

  void notice(const DeviceNotice &);
  // Begins and ends events. `shown`: the stream is there. `turning`: the camera sees its own turn as motion.
  void tick(double now, bool shown, bool turning);
  void away(double now);                          // nothing is known of the camera any more
  void connection_ends();                         // of the stream: all events have ended
  static constexpr int most_begun = 20;           // of one camera in a minute
  static constexpr std::size_t most_sources = 16; // of one label that are active together

 private:
  struct Label {
    std::set<std::string> active; // sources
    bool moment = false, begun = false;
  };
  bool may_begin(double now);

  EventTracker &events_;
  std::map<std::string, Label> labels_;
  std::deque<double> begun_; // when, in the last minute
};

} // namespace vigil::monitor
