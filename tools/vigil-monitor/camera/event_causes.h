// SPDX-License-Identifier: LGPL-2.1-or-later
// Reads the messages of the chain's elements: they begin and end causes of events, and count. For the main
// thread.
#pragma once

#include "event_tracker.h"
#include "rule_counts.h"
#include "stays.h"
#include "track_labels.h"
#include "trouble.h"

#include <functional>
#include <gst/gst.h>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace vigil::monitor {

class EventCauses {
 public:
  // The configuration is the camera's, which may change.
  EventCauses(const CameraConfig &, CameraNews &, std::shared_ptr<CameraFeed>, RuleCounts &, TrackLabels &,
              EventTracker &);

  // `time`: UTC of the frame.
  void message(const GstStructure *, double time);
  // Gives boxrules the zones and lines as they are now; null: it is not in the chain.
  void set_rules(GstElement *boxrules);
  void connection_begins(); // boxrules counts from nothing
  void connection_ends();
  void clock_set(double change) { trouble_.clock_set(change); }
  // The camera turns on somebody's order: until end_turn() motion, rules and moved cameras are no events.
  // Motion that goes on for `seconds` after it is one.
  void begin_turn();
  void end_turn(double seconds);
  void tick();                            // once a second
  std::function<void()> on_moved = [] {}; // the camera, by nobody's order
  // A score names a class before its first event; true when one of these is new.
  bool learn_classes(const std::map<std::string, double> &scores);

  std::optional<Point> shift() const { return trouble_.shift(); }
  nlohmann::json trouble() const { return trouble_.describe(); }
  nlohmann::json counts(bool counted) const { return counts_.describe(config_, counted); }
  nlohmann::json classes() const { return classes_; }
  nlohmann::json labels(bool by_shape) const { return labels_.describe(by_shape); }

 private:
  void motion(const GstStructure *, double time, bool begins);
  void begin_motion(double time, double changed);
  bool is_turning_noise(const std::string &name, const GstStructure *) const;
  void trouble(const GstStructure *, double time);
  void stay(const GstStructure *, double time, bool leaves);
  void zone_count(const GstStructure *);
  void line_cross(const GstStructure *, double time);
  void announce_line(const std::string &line, const std::string &direction, const std::string &label);
  void track(const GstStructure *, double time);
  void count_labels(const std::set<std::string> &changed);
  void class_event(const GstStructure *, double time, bool begins);

  const CameraConfig &config_;
  CameraNews &news_;
  const std::shared_ptr<CameraFeed> feed_;
  RuleCounts &counts_;
  TrackLabels &labels_;
  EventTracker &events_;
  CameraTrouble trouble_{events_};
  Stays stays_{events_};
  // Crossings of tracks that have no label yet: by track, line and direction.
  std::multimap<std::uint64_t, std::pair<std::string, std::string>> unnamed_;
  bool turns_ = false, sees_motion_ = false; // sees_motion_: as cudamog said last
  std::optional<double> motion_due_;         // monotonic: motion of the turn is over by then
  std::map<std::string, bool> classes_;      // of gpufisher: whether an event of it goes on
};

} // namespace vigil::monitor
