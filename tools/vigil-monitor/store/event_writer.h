// SPDX-License-Identifier: LGPL-2.1-or-later
// News of events on their way to the database, to viewers and to receivers. What the disk refuses waits here
// in order and is tried again. Nothing goes out before it is stored, except that an event begins.
#pragma once

#include "../announcer.h"
#include "../deleted_events.h"
#include "disk_queue.h"
#include "event_log.h"
#include "storage.h"

#include <atomic>
#include <deque>
#include <functional>
#include <string>
#include <vector>

namespace vigil::monitor {

class EventWriter {
 public:
  EventWriter(Storage &, DiskQueue &, Announcer &, const Utc &);

  // On the main thread. `type`: new, update or end.
  void save(const char *type, const Event &);
  void retry(); // what the disk has refused
  // Before the start: ends of events from before. Receivers of their beginning receive their end.
  void add_ends(const std::vector<Event> &);
  void begin() { store_soon(); }

  // On any thread.
  // Deletes event and files, and says so to viewers; false when there is no such event.
  bool remove(const std::string &id);
  // Somebody named the event, or it is guessed to be something else: news for viewers, and for all receivers
  // of events if it is one of just now.
  void relabelled(const std::string &id, const EventLabels &);
  void set_retained(Event &, bool);
  bool writable() const { return writable_; }
  // Retention or a person deleted it: what the camera reports of it later must not bring it back.
  void deleted(const std::string &id) { deleted_.add(id); }

  std::size_t unstored() const { return waiting_.size(); } // once the queue has stopped

  struct Receivers {
    // What goes out because of an event: stored with it, so that neither is without the other. On the writer
    // thread.
    std::vector<std::function<std::vector<Posting>(const char *type, const Event &)>> postings;
    // On the writer thread, once it is in the database.
    std::vector<std::function<void(const char *type, const Event &)>> stored;
    // What an event is called. On any thread.
    std::function<EventLabels(const std::string &event)> labels_of;
  };
  Receivers receivers; // set before the start

 private:
  struct Waiting {
    std::string type;
    Event event;
  };
  void announce(const char *type, const Event &);
  void store_soon() {
    queue_.add([this] { put_waiting(); });
  }
  // All on the writer thread:
  void wait(std::string type, Event); // until it is stored
  void put_waiting();                 // stores what waits, in order
  bool store_waiting();               // true when there was something
  bool store_or_drop(Waiting &);
  bool store(Waiting &);
  static void drop(const Waiting &, const char *why);

  Storage &storage_;
  DiskQueue &queue_;
  Announcer &announcer_;
  const Utc &utc_;
  DeletedEvents deleted_;
  std::atomic<bool> writable_ = true;
  // The writer thread's:
  EventLog event_log_;
  std::deque<Waiting> waiting_;
  Outage database_, lines_, lost_;
};

} // namespace vigil::monitor
