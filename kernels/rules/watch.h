// SPDX-License-Identifier: LGPL-2.1-or-later
// What happens in zones and at lines, from the tracks of each frame.
//
// An object is at its anchor (rules.h). With h = hysteresis in pixels and s = settle time:
//   zone   inside (outside) when it has been inside (outside) and at least h from the border for s; a new
//          object also nearer than h. Loitering, crowds and speeds are told once for a stay, a crowd begins
//          and ends after its count held for its seconds.
//   line   the signed crossings of its path are summed (geometry.h). When it has been at least h from the
//          line for s, a sum that is not 0 is one crossing of that sign: who jitters on the line, stands on
//          it or turns round there counts once or not at all.
//   hidden a track that came hidden in others' boxes before it was first seen (track.h) crossed the lines of
//          that way, too.
//   found  places that are predictions move nobody: the path goes on where the object is found again.
//   parts  who crosses a line within `hand_over` after another one that crossed it the same way is a part of
//          that one, and not counted, when their velocities differ by less than 0.35 of the faster one's and
//          one box lies above or in the other: clear of it, but with less than 0.4 of the larger one's size
//          between them, or nearly all of it inside.
//   ids    what a track that ended did passes to one that begins within `hand_over` and within its size of
//          the last place; and so does what a track did that is predicted, does not stand, and should be
//          within the new one's size, when the two move the same way.
//   left   an object that never moved by its own size, whose track began at a taller object's box (its
//          owner), stands for the zone's seconds, and the owner is two of his heights away or gone. It is
//          removed when it moves away or ends after that.
//   taken  where a ghost is seen (background laid bare: what stood there belonged to the background) and a
//          taller object is within twice its height (the owner), something was removed: told once for a
//          place, and at once, since the ghost is background soon. A ghost need not be a track: most do not
//          last for long enough.
//
// Pixels and seconds. Events come in the order of rules, then ids. Time that goes back forgets all but
// totals. Same input, same events.
#pragma once

#include "common/params.h"
#include "kernels/rules/by_id.h"
#include "kernels/rules/rules.h"
#include "kernels/track/track.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace vigil::rules {

struct Settings {
  float hysteresis = 8.f;
  int settle_time = 100, hand_over = 1000;
  bool operator==(const Settings &) const = default;
};
inline constexpr auto settings_table = std::tuple{
    param("hysteresis", "Hysteresis",
          "Pixels by which an object must be past a line or a zone's border to count as past it",
          &Settings::hysteresis, 0.f, 10000.f),
    param("settle-time", "Settle time", "Milliseconds for which it must be there", &Settings::settle_time, 0,
          60000),
    param("hand-over", "Hand over",
          "Milliseconds after the end of a track in which one that begins at its place is the same object, "
          "which "
          "changed its number. Leaving a zone by the end of a track is told after this time. 0: never",
          &Settings::hand_over, 0, 60000),
};

struct Subject {
  track::Object object;
  std::string_view type; // must stay until the next step
};
struct Ghost { // kernels/ghost
  track::Box box;
  std::string_view type; // as a Subject's
};

enum class Kind {
  zone_enter,
  zone_leave,
  zone_count,
  loitering,
  crowd_begin,
  crowd_end,
  line_cross,
  wrong_way,
  object_left,
  object_removed,
  speed,
};
const char *name_of(Kind); // as the message is called: zone-enter, ...; both ends of a crowd: crowd

struct Event {
  Kind kind{};
  const std::string *rule = nullptr; // of the zone or line; stays until the rules change
  std::uint64_t id = 0, owner = 0;   // of tracks; 0: none
  std::uint64_t entered_id = 0;      // of a stay: the id that `id` had when it entered (see "ids" above)
  std::string_view type;             // of the object
  Point at;
  Direction direction = Direction::forward;
  double seconds = 0;                      // of the stay
  double speed = 0;                        // metres or pixels a second
  int count = 0;                           // in the zone now
  std::uint64_t forward = 0, backward = 0; // totals of the line
};

struct ZoneCount {
  int inside = 0;
  std::uint64_t entered = 0, left = 0;
};
struct LineTotal {
  std::uint64_t forward = 0, backward = 0;
};

class Watch {
 public:
  // Rules in pixels; what is known stays for zones and lines whose names stay. Events of before are gone.
  void set(Rules pixels);
  void set(const Settings &s) { settings_ = s; }
  const Rules &rules() const { return rules_; }
  void step(std::span<const Subject>, double seconds, std::span<const Ghost> = {});
  std::span<const Event> events() const { return events_; }
  // All objects are gone, as at the end of the stream: tells who leaves.
  void finish();
  void reset_totals();

  ZoneCount count(std::size_t zone) const { return zones_[zone].count; }
  LineTotal total(std::size_t line) const { return lines_[line].total; }

 private:
  struct Known { // an object
    std::uint64_t id = 0, owner = 0;
    std::string_view type;
    track::Box box;
    Point at, before, begin; // anchors: now, in the frame before, at first
    Point place;             // anchor, of one that is not found where it is thought to be
    Point from;              // before that, hidden; of one that is no longer new begin, once that is told
    double vx = 0, vy = 0, seen = 0; // when it was found last, seconds
    double first = 0, last = 0, still_since = 0, furthest = 0, speed = 0;
    Point still_at;
    bool here = false, lost = false, fresh = false, found = false, left = false, came = false;
  };
  struct Stay {
    std::uint64_t id = 0, entered_id = 0;
    bool inside = false, wants = false, loitered = false, sped = false;
    double wants_since = 0, entered = 0;
  };
  struct ZoneState {
    std::string name;
    ZoneCount count;
    std::vector<Stay> stays; // by id
    bool crowded = false;
    double crowd_since = -1; // since when the crowd's state is another than told
  };
  struct Path {
    std::uint64_t id = 0;
    int sum = 0;
    double away_since = -1; // from the line; -1: it is at it
  };
  struct Crossing {
    std::uint64_t id = 0;
    Direction direction = Direction::forward;
    double seconds = 0;
  };
  struct LineState {
    std::string name;
    LineTotal total;
    std::vector<Path> paths;         // by id
    std::vector<Crossing> crossings; // of the last `hand_over`, the latest last
  };

  Point anchor(const track::Box &) const;
  void meet(std::span<const Subject>, double seconds);
  void sort_for_new(double seconds);
  void meet_new(const Subject &, double seconds);
  std::uint64_t owner_of(const Known &) const;
  bool hand_over(Known &, const track::Object &, double seconds);
  void forget(double seconds, bool all);
  double speed_of(const Known &, const track::Object &) const;
  void step_zone(std::size_t, double seconds);
  void step_stay(std::size_t zone, const Known &, double seconds);
  void step_crowd(std::size_t zone, double seconds);
  void step_left(std::size_t zone, Known &, double seconds);
  void step_taken(std::span<const Ghost>, double seconds);
  std::uint64_t taker_of(const track::Box &) const;
  void leave(std::size_t zone, Stay &, const Known &, double seconds);
  void step_line(std::size_t, double seconds);
  bool is_part_of_crossed(const LineState &, const Known &, Direction, double seconds);
  bool matters(const Filter &, const Known &) const;
  Event event(Kind, const std::string &rule, const Known &) const;

  Settings settings_;
  Rules rules_;
  Homography ground_;
  bool has_ground_ = false;
  std::vector<Known> known_; // by id
  std::vector<ZoneState> zones_;
  std::vector<LineState> lines_;
  struct Taken { // what was told of a ghost
    track::Box box;
    double last; // seconds, when it was seen
  };
  std::vector<Taken> taken_;
  std::vector<Event> events_;
  // Of one frame, with their memory kept.
  struct Reach { // how far left somebody reaches who may put something down
    double left;
    std::size_t index; // into known_
  };
  std::vector<const Subject *> new_;
  std::vector<std::size_t> missing_; // into known_
  std::vector<Reach> owners_;
  std::vector<Rename> renames_;
  double widest_ = 0; // of the reaches
  double last_ = 0;
  bool started_ = false;
};

} // namespace vigil::rules
