// SPDX-License-Identifier: LGPL-2.1-or-later
// The events of one camera: from their causes to events with zones, boxes, thumbnails and clips. An event
// lasts until its cause has been over for record.post_capture seconds. For the main thread; knows no
// GStreamer.
#pragma once

#include "../config/config.h"
#include "camera_services.h"
#include "clip_result.h"
#include "event_clips.h"
#include "feed.h"
#include "rule_counts.h"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace vigil::monitor {

struct EventCause {
  std::string label;
  double time = 0, score = 0;
  std::string zone;            // empty: those in which boxrules counts an object
  std::string key;             // of causes with one key one goes on at a time; empty: the label
  bool beginning_only = false; // the clip shows the event's beginning, however long it lasts
  bool of_camera = false;      // something is wrong with the camera: no box, no zone
  std::string continues;       // the id of the event that ended where this one goes on
};

class EventTracker {
 public:
  // The configuration is the camera's, which may change.
  EventTracker(const CameraConfig &, CameraNews &, std::shared_ptr<CameraFeed>, EventClips &,
               const RuleCounts &);

  void begin(const EventCause &);
  void end(const std::string &key, double time);          // the cause; the event follows
  void end_now(const std::string &key);                   // cause and event
  void end_all();                                         // the connection ends
  void entered(const std::string &zone);                  // an object: events that go on are there, too
  void raise_score(const std::string &key, double score); // of an event that goes on
  // The key of an event with this label whose cause goes on, and whose clip of the beginning shows `time`.
  // Empty: there is none.
  std::string young(const std::string &label, double time) const;

  void tick(); // once a second
  // The system's clock was set by so many seconds.
  void clock_set(double change);
  void picture(const Bytes &jpeg); // for thumbnails
  // A clip of this event became whole, or did not.
  void clip_finished(const std::string &event, const ClipResult &);
  // Clips of these events end, because the stream became another one.
  void clips_broke_off(const std::vector<std::string> &events);
  // Clips of events that have ended are on their way to the disk: this object is needed until they are there.
  bool awaits_clips() const { return !recent_.empty(); }

 private:
  struct Running {
    Event event;
    bool active = true; // its cause goes on
    double quiet_since = 0;
    double snapshot_score = -1;
    bool recorded = false, pictured = false; // a clip is being written
    bool broke_off = false;                  // its clip, because the stream became another one
    bool of_camera = false, beginning_only = false;
  };
  struct Recent {
    Event event;
    double since; // by the monotonic clock
    bool logged;  // that it takes long
  };
  using Place = std::map<std::string, Running>::iterator;
  void log(const std::string &text) { news_.log(config_.name + ": " + text); }
  void add_zones(Running &, const std::vector<std::string> &);
  std::vector<std::string> zones_of(const EventCause &) const;
  void begin_clip(Running &);
  void clip_beginning(Running &);
  // `clock_change`: by how much the clock was set since quiet_since.
  void end_event(Running &, double clock_change = 0);
  void update(double now);
  // Takes over what was seen; true when there is something to tell.
  bool see(Running &, const CameraFeed::Seen &, bool is_motion, double now);
  bool is_over(const Running &, double now) const;
  // Events whose clip broke off end, and others go on from there, with clips of their own.
  void go_on_with_clips(double now);
  // The event that goes on where this one has ended.
  void follow(const std::string &key, const Running &, double now);
  void late_clips();

  const CameraConfig &config_;
  CameraNews &news_;
  const std::shared_ptr<CameraFeed> feed_;
  EventClips &clips_;
  const RuleCounts &counts_;
  std::map<std::string, Running> running_; // by key
  std::map<std::string, Recent> recent_;   // by event: ended, their clip is on its way
};

} // namespace vigil::monitor
