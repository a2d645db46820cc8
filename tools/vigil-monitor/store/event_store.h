// SPDX-License-Identifier: LGPL-2.1-or-later
// The database of events, for those who write it; viewers ask an EventReader. One object is one connection;
// all methods may be called from any thread, and throw Error::write when the disk is full or cannot be
// written. What they have stored is on the disk when they return.
#pragma once

#include "../visible_cameras.h"
#include "event.h"
#include "sqlite.h"

#include <compare>
#include <map>
#include <mutex>

namespace vigil::monitor {

struct EventQuery {
  std::string camera, label, zone; // empty: any
  VisibleCameras visible;          // of others nothing is found
  std::optional<double> after, before;
  std::optional<bool> retained;
  std::string who;          // whose marks `seen` means
  std::optional<bool> seen; // by `who`
  int limit = 50;
  std::string cursor; // from an EventPage
};
struct EventPage {
  std::vector<Event> events; // the newest first
  std::vector<bool> seen;    // of each of them, whether the query's `who` has seen it
  std::string next_cursor;   // empty: there are no more
};
struct SimilarEvent {
  Event event;
  double similarity = 0;
};
struct Letter { // of the outbox
  std::int64_t id = 0;
  std::string topic, payload;
  bool retain = false;
};
struct Posting { // a letter and the box that it goes to: mqtt or webhook
  std::string box;
  Letter letter;
};

struct CrossingPlace {
  std::string camera, line;
  std::int64_t quarter = 0; // since 1970 UTC, in quarters of an hour
  friend auto operator<=>(const CrossingPlace &, const CrossingPlace &) = default;
};
struct Crossings {
  std::int64_t in = 0, out = 0;
};

class EventStore {
 public:
  // Throws Error::bad_data when the file was made by a newer version.
  explicit EventStore(const std::string &path);

  // New, or changed in all but `retained`, which belongs to people. The news of it that go out are stored
  // with it: both or neither.
  void put(const Event &, const std::vector<Posting> &news = {});
  // The same for one that is there, and whose `retained` is the event's. False, and nothing is stored, when
  // it is gone or people have set that meanwhile.
  bool change(const Event &, const std::vector<Posting> &news);
  std::optional<Event> get(const std::string &id) const;
  // Nothing else of the event changes, which a camera may be writing. False when there is no such event.
  bool set_retained(const std::string &id, bool);
  // Whether `who`, a user or a token, has seen the event. A mark goes with its event.
  void set_seen(const std::string &id, const std::string &who, bool);
  // The same of many, all or none: those of which the mark is another one now. Events of cameras that are not
  // visible, and those that are not there, are left out.
  std::vector<std::string> set_seen(const std::vector<std::string> &ids, const std::string &who,
                                    const VisibleCameras &, bool);
  bool remove(const std::string &id);
  std::vector<Event> oldest_first() const; // all of them, to compare them with the files

  void put_vector(const std::string &id, std::span<const float>);

  // Seconds of motion for each cell of a grid, summed by quarters of an hour.
  static constexpr int heat_columns = 32, heat_rows = 18;
  void add_heat(const std::string &camera, double time, std::span<const float> cells);

  // Crossings of lines, summed by quarters of an hour: a day begins with one in every time zone.
  static constexpr int quarter = 900; // seconds
  void add_crossings(const std::map<CrossingPlace, Crossings> &);
  // Heat and crossings of quarters that began before this go.
  void forget_counts(double before);

  // Messages for a server that is away. The oldest go when there are more than `limit` in their box.
  void post(const Posting &, std::int64_t limit = most_letters);
  std::vector<Letter> letters(const std::string &box, int limit) const;
  void delivered(std::int64_t letter);
  // Letters of boxes whose names begin so, and that are not among these, go: nobody will fetch them.
  void drop_boxes(const std::string &prefix, const std::vector<std::string> &but);

  // Retention: the days of each camera as they were configured last, also of cameras that are gone since.
  std::map<std::string, double> retain_days() const;
  void set_retain_days(const std::map<std::string, double> &);
  std::vector<std::string> cameras() const; // that have events
  // The oldest events of a camera (or of all: "") that are neither retained nor without an end. `with_clip`:
  // only those with bytes of a clip. At most `limit`.
  std::vector<Event> oldest(const std::string &camera, bool with_clip, int limit) const;
  // The latest time of which it is certain that it has been; empty: none was stored.
  std::optional<double> trusted_time() const;
  void set_trusted_time(double);

  // Events that no end was written for, because the program was killed, by their begins: as they are to be
  // stored, with an end when they were last changed. Nothing is stored here.
  std::vector<Event> unfinished() const;

 private:
  static constexpr std::int64_t most_letters = 10000;
  // With the lock held:
  void put_event(const Event &);
  void put_letter(const Posting &, std::int64_t limit);
  mutable std::mutex lock_;
  Sqlite db_;
};

} // namespace vigil::monitor
