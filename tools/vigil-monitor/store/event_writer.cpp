// SPDX-License-Identifier: LGPL-2.1-or-later
#include "event_writer.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <utility>

namespace vigil::monitor {
namespace {

constexpr double longest_event = 2 * 86400; // seconds: loitering may take a day

} // namespace

EventWriter::EventWriter(Storage &storage, DiskQueue &queue, Announcer &announcer, const Utc &utc)
    : storage_(storage), queue_(queue), announcer_(announcer), utc_(utc), event_log_(storage) {}

void EventWriter::add_ends(const std::vector<Event> &events) {
  for (const Event &event : events) waiting_.push_back({"end", event});
}

void EventWriter::announce(const char *type, const Event &event) {
  announcer_.to_viewers(event.camera, {{"kind", "event"}, {"type", type}, {"event", to_json(event)}});
}

void EventWriter::retry() {
  if (!writable_) store_soon();
}

void EventWriter::save(const char *type, const Event &e) {
  const bool first = !std::strcmp(type, "new");
  if (first) announce(type, e); // at once; the others when their files are there
  const bool taken = queue_.add_needed([this, type = std::string(type), e = Event(e), first]() mutable {
    if (!first && deleted_.has(e.id)) { // what was written of it since goes, too
      storage_.remove(e);
      return;
    }
    // A picture is announced when it is there, which it is not when the disk was full.
    std::error_code error;
    e.has_snapshot = std::filesystem::exists(storage_.file(thumb_path(e)), error);
    if (receivers.labels_of && !first) e.labels = receivers.labels_of(e.id);
    wait(type, e);
    put_waiting();
    if (!first) announce(type.c_str(), e);
  });
  if (!taken) queue_.lost("news of events");
}

void EventWriter::relabelled(const std::string &id, const EventLabels &labels) {
  const auto event = event_of_id(id);
  announcer_.to_viewers(event ? event->camera : "",
                        {{"kind", "labels"}, {"id", id}, {"labels", to_json(labels)}});
  // All old events are guessed again when something was learnt: nobody wants a message of them.
  constexpr double young = 60;
  if (!event || utc_.now() - event->start_time > longest_event) return;
  queue_.add([this, id, labels] {
    const auto waits =
        std::find_if(waiting_.rbegin(), waiting_.rend(), [&](const Waiting &w) { return w.event.id == id; });
    if (waits != waiting_.rend()) {
      waits->event.labels = labels;
      return;
    }
    auto e = storage_.events().get(id);
    if (!e || (e->end_time && utc_.now() - *e->end_time > young)) return;
    e->labels = labels;
    wait("update", std::move(*e));
    put_waiting();
  });
}

void EventWriter::wait(std::string type, Event e) {
  constexpr std::size_t most_waiting = 10000;
  // Each of an event's news says all of it: one update that waits is enough.
  const auto last =
      std::find_if(waiting_.rbegin(), waiting_.rend(), [&](const Waiting &w) { return w.event.id == e.id; });
  if (last != waiting_.rend() && type == "update" && last->type == "update") {
    last->event = std::move(e);
    return;
  }
  waiting_.push_back({std::move(type), std::move(e)});
  if (waiting_.size() <= most_waiting) return;
  if (lost_.failed(Utc::monotonic_seconds()))
    log_line(vigil::text("more than ", most_waiting,
                         " news of events wait for the disk: the oldest are lost, the ",
                         waiting_.front().type, " of event ", waiting_.front().event.id, " first"));
  waiting_.pop_front();
}

// Stores an event with its news; false when it was deleted. People may delete it or set `retained` at any
// time, so what the news say is looked at again where it is stored.
bool EventWriter::store(Waiting &w) {
  for (;;) {
    const auto old = storage_.events().get(w.event.id);
    if (!old && w.type != "new" && deleted_.has(w.event.id)) return false;
    if (old) w.event.retained = old->retained; // set by a person, not by the camera
    std::vector<Posting> news;
    for (const auto &of : receivers.postings)
      for (Posting &p : of(w.type.c_str(), w.event)) news.push_back(std::move(p));
    if (w.type == "end") news.push_back(event_log_.line(w.event));
    if (old && !storage_.change(w.event, news)) continue;
    if (!old) storage_.put(w.event, news);
    return true;
  }
}

void EventWriter::put_waiting() {
  const auto works = [this](Outage &outage, const char *meanwhile, const auto &f) {
    try {
      if (f() && outage.worked(Utc::monotonic_seconds())) log_line("the disk takes events again");
      return true;
    } catch (const Error &error) {
      if (outage.failed(Utc::monotonic_seconds()))
        log_line(vigil::text(error.what(), "; ", meanwhile, " until it works again"));
      return false;
    }
  };
  const bool stored = works(database_, "events are kept in memory", [this] { return store_waiting(); });
  const bool written = works(lines_, "lines of finished events wait in the database",
                             [this] { return event_log_.write_waiting(); });
  writable_ = stored && written;
}

// News that cannot be stored for another reason than the disk or the database are dropped: the news behind
// them must not wait without end.
bool EventWriter::store_or_drop(Waiting &w) {
  try {
    return store(w); // or deleted meanwhile
  } catch (const Error &e) {
    if (e.kind() == Error::Kind::write || e.kind() == Error::Kind::io) throw; // tried again
    drop(w, e.what());
  } catch (const std::exception &e) {
    drop(w, e.what());
  }
  return false;
}

void EventWriter::drop(const Waiting &w, const char *why) {
  log_line("the " + w.type + " of event " + w.event.id + " of camera " + w.event.camera +
           " cannot be stored, and is left out: " + why);
}

bool EventWriter::store_waiting() {
  if (waiting_.empty()) lost_.worked(Utc::monotonic_seconds());
  const bool something = !waiting_.empty();
  while (!waiting_.empty()) {
    Waiting &w = waiting_.front();
    const bool stored = store_or_drop(w);
    const Waiting done = std::move(w);
    waiting_.pop_front(); // what fails from here on must not store it again
    if (stored)
      for (const auto &listener : receivers.stored)
        guard("news of an event", [&] { listener(done.type.c_str(), done.event); });
  }
  return something;
}

bool EventWriter::remove(const std::string &id) {
  const auto e = storage_.events().get(id);
  if (!e) return false;
  deleted_.add(id); // first: what the camera says of it meanwhile must not bring it back
  storage_.remove(*e);
  announcer_.to_viewers(e->camera, {{"kind", "deleted"}, {"id", id}});
  return true;
}

void EventWriter::set_retained(Event &e, bool retain) {
  const auto changed = storage_.set_retained(e.id, retain);
  if (!changed) return;
  e = *changed;
  if (receivers.labels_of) e.labels = receivers.labels_of(e.id);
  announce("update", e);
}

} // namespace vigil::monitor
