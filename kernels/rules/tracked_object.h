// SPDX-License-Identifier: LGPL-2.1-or-later
// An object as the rules know it, divided by subject.
#pragma once

#include "kernels/rules/event.h"
#include "kernels/track/object.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace vigil::rules {

// What a frame brings to the rules: tracks, and ghosts.
struct Subject {
  track::Object object;
  std::string_view type;    // must stay until the next step
  std::string_view label{}; // what it is called (tracklabel), empty: nothing so far; stays as `type`
};
struct Ghost { // kernels/ghost
  track::Box box;
  std::string_view type; // as a Subject's
};

// Where the object is and was, as anchors (rules.h).
struct Path {
  Point at, before, begin; // now, in the frame before, at first
  Point place;             // the estimate, while it is not found
  Point from;              // where it came from, hidden, before `begin`; equal to that once that is used
  bool came = false;       // `from` was used, or the path goes on from that of another track
};
struct Velocity {
  double x = 0, y = 0; // px/s
  double speed = 0;    // metres or pixels a second
};
struct Times {      // seconds
  double first = 0; // begin of the first track
  double last = 0;  // last frame with the track
  double seen = 0;  // last frame in which it was found
};
struct Rest {
  Point at;            // it has not moved by half of its size from here
  double since = 0;    // seconds
  double furthest = 0; // from where it began, px
};
// In the frame at hand.
struct Presence {
  bool here = false;  // its track is there
  bool fresh = false; // its track is new
  bool found = false; // its place is no estimate
  bool alone = false; // and its box is its own, of no group
  bool lost = false;  // its place is an estimate, and it is not stationary
};
// As something that somebody put down (left_object_rule.h).
struct Placement {
  std::uint64_t owner = 0; // the track that may have put it down; 0: none
  bool left = false;       // object-left was reported
};

struct TrackedObject {
  std::uint64_t id = 0; // of its track now
  std::string_view type;
  std::string label; // the last one that it had
  track::Box box;
  Path path;
  Velocity velocity;
  Times times;
  Rest rest;
  Presence now;
  Placement placed;
};

// sqrt(width height), px.
double size_of(const track::Box &);
bool passes(const Filter &, const TrackedObject &);
Event event_of(Kind, const std::string &rule, const TrackedObject &);

} // namespace vigil::rules
