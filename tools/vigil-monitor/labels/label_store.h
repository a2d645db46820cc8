// SPDX-License-Identifier: LGPL-2.1-or-later
// What the database of events knows of their labels: the tracks that an event saw, its looks, and what it is
// called, by whom. A connection of its own. All methods may be called from any thread, and throw Error::write
// when the disk is full or cannot be written. The rows of an event go with it.
#pragma once

#include "../store/sqlite.h"
#include "../visible_cameras.h"
#include "event_label.h"
#include "kernels/label/classifier.h"

#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace vigil::monitor {

// A track as tracklabel described it last.
struct EventTrack {
  std::int64_t track = 0, views = 0;
  label::Features shape = label::Subject::unknown_features();
  std::string guess; // of the shape rule or of a detector; empty: they have none
  double guess_score = 0;
  EventLabel::By guess_by = EventLabel::By::shape;
};

// A Fisher vector, shortened (kernels/label/appearance.h), and the codebook that it was made with: vectors of
// two codebooks have nothing in common.
struct Looks {
  std::vector<float> vector;
  std::string codebook;
};

class LabelStore {
 public:
  // `path`: of a database that has the tables (make_label_tables).
  explicit LabelStore(const std::string &path);

  // New, or as it is now. False when there is no such event.
  bool put_track(const std::string &event, const EventTrack &);
  std::vector<EventTrack> tracks(const std::string &event) const; // the one with the most views first
  // The event's looks; empty: they are not known.
  Looks looks(const std::string &event) const;
  void put_looks(const std::string &event, const Looks &);

  // The newest events first that have tracks or a vector; `before`: their ids are less, empty: all.
  std::vector<std::string> describable(const std::string &before, int limit) const;
  // The newest of those of which nobody has said anything.
  std::vector<std::string> unnamed(const VisibleCameras &, int limit) const;

  EventLabels labels(const std::string &event) const;
  std::map<std::string, EventLabels> labels(std::span<const std::string> events) const;
  // Instead of all guesses that these events had; a person's word stays. Those whose labels have changed.
  std::vector<std::string> set_guesses(std::span<const std::pair<std::string, EventLabels>>);
  // A person's word; `score` 1: they are that, 0: they are not. Instead of the words that it contradicts.
  void set_word(const std::set<std::string> &events, const std::string &label, double score);
  void remove_words(const std::set<std::string> &events);
  void remove_label(const std::string &label); // of all events

 private:
  EventLabels labels_locked(const std::string &event) const;
  bool set_guesses_locked(const std::string &event, const EventLabels &);
  mutable std::mutex lock_;
  Sqlite db_;
};

// In a database that has the events.
void make_label_tables(Sqlite &);

} // namespace vigil::monitor
