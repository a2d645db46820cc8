// SPDX-License-Identifier: LGPL-2.1-or-later
#include "push.h"

#include "../camera/utc.h"
#include "../config/text.h"
#include "../counted.h"
#include "common/error.h"
#include "notice.h"
#include "transfer.h"

#include <algorithm>
#include <exception>
#include <glib.h>
#include <utility>

namespace vigil::monitor {
namespace {

using nlohmann::json;

std::string push_box(const std::string &id) {
  return Push::prefix + id;
}

json letter_of(const Event &e) {
  return {{"id", e.id}, {"camera", e.camera}, {"label", title_of(e)}, {"time", e.start_time}};
}

// Day of the week (1: Monday) and minute of the day in a zone. One that this machine does not know is taken
// for its own.
std::pair<int, int> clock_in(const std::string &zone, double time) {
  GTimeZone *tz = zone.empty() ? nullptr : g_time_zone_new_identifier(zone.c_str());
  if (!tz) tz = g_time_zone_new_local();
  const std::unique_ptr<GTimeZone, void (*)(GTimeZone *)> owner(tz, g_time_zone_unref);
  const std::unique_ptr<GDateTime, void (*)(GDateTime *)> utc(
      g_date_time_new_from_unix_utc(static_cast<gint64>(time)), g_date_time_unref);
  const std::unique_ptr<GDateTime, void (*)(GDateTime *)> there(g_date_time_to_timezone(utc.get(), tz),
                                                                g_date_time_unref);
  constexpr int hour = 60;
  return {g_date_time_get_day_of_week(there.get()),
          g_date_time_get_hour(there.get()) * hour + g_date_time_get_minute(there.get())};
}

std::string message_of(const PushDevice &d, std::vector<Event> events, const CameraTitles &titles) {
  for (Event &e : events) e.camera = titles(e.camera);
  constexpr std::size_t shown = 5;
  json list = json::array(), cameras = json::array();
  for (auto e = events.rbegin(); e != events.rend(); ++e) {
    if (list.size() < shown) list.push_back(letter_of(*e));
    if (cameras.size() < shown && std::find(cameras.begin(), cameras.end(), e->camera) == cameras.end())
      cameras.push_back(e->camera);
  }
  return json{{"kind", "events"},
              {"language", d.settings.language},
              {"count", events.size()},
              {"cameras", cameras},
              {"events", list}}
      .dump(-1, ' ', false, json::error_handler_t::replace);
}

} // namespace

Push::Push(PushConfig config, PushStore &store, EventStore &outbox, std::string key_file, Rights rights,
           CameraTitles titles, Log log)
    : enabled_(config.enabled), outbox_(outbox), rights_(std::move(rights)), titles_(std::move(titles)),
      log_(std::move(log)), devices_(store, log_), sender_(std::move(config), std::move(key_file), ended_) {
  curl_global_init(CURL_GLOBAL_DEFAULT);
  std::vector<std::string> boxes;
  for (const Device &d : devices_.all()) {
    boxes.push_back(push_box(d->stored.id));
    pending_.insert(d->stored.id);
  }
  outbox_.drop_boxes(prefix, enabled_ ? boxes : std::vector<std::string>());
  if (enabled_) thread_.begin("push messages", [this] { run(); });
}

Push::~Push() {
  constexpr std::chrono::hours for_ever(24);
  end(for_ever);
  curl_global_cleanup();
}

bool Push::end(std::chrono::milliseconds patience) {
  {
    const std::lock_guard held(lock_); // or the thread that goes to sleep at this moment misses it
    ended_ = true;
  }
  wake_.notify_all();
  return thread_.ends_within(patience);
}

bool Push::remove(const std::string &id) {
  const bool was_there = devices_.remove(id);
  {
    const std::lock_guard held(lock_);
    pending_.erase(id);
  }
  outbox_.drop_boxes(push_box(id), {});
  return was_there;
}

void Push::remove_void() {
  for (const Device &d : devices_.all())
    if (!rights_(d->stored.owner, d->stored.credential)) {
      remove(d->stored.id);
      log_("a device of " + d->stored.name +
           " gets no messages any more: its owner is gone, or has another password");
    }
}

std::vector<Posting> Push::postings(const std::optional<Event> &before, const Event &now) {
  std::vector<Posting> out;
  if (!enabled_) return out;
  std::set<std::string> noted;
  for (const Device &d : devices_.all()) {
    if (!becomes_wanted(d->settings, before, now)) continue;
    const auto sees = rights_(d->stored.owner, d->stored.credential);
    if (sees && !sees->has(now.camera))
      continue; // the thread removes devices whose owner sees nothing any more
    out.push_back({push_box(d->stored.id), {0, "", letter_of(now).dump(), false}});
    noted.insert(d->stored.id);
  }
  if (!noted.empty()) {
    const std::lock_guard held(lock_);
    noted_.merge(noted);
  }
  return out;
}

void Push::wake() {
  const std::lock_guard held(lock_);
  if (noted_.empty()) return;
  pending_.merge(noted_);
  noted_.clear();
  wake_.notify_all();
}

std::string Push::test(const Device &d) {
  if (!devices_.may_test(d->stored.id)) return "a test was sent a moment ago; wait some seconds";
  const PushSender::Answer a =
      sender_.send(*d, json{{"kind", "test"}, {"language", d->settings.language}}.dump());
  if (a.kind == PushSender::Answer::Kind::gone)
    forget(d, a.wrong);
  else
    devices_.set_result(d, a.kind == PushSender::Answer::Kind::taken, a.wrong);
  return a.wrong;
}

void Push::forget(const Device &d, const std::string &why) {
  remove(d->stored.id);
  log_("a device of " + d->stored.name + " gets no messages any more: " + why);
}

std::vector<Event> Push::due_events(const PushDevice &d, const VisibleCameras &sees,
                                    const std::vector<Letter> &letters) const {
  std::vector<Event> out;
  const double now = Utc::system_seconds();
  const auto [day, minute] = clock_in(d.settings.time_zone, now);
  if (is_silent(d.settings, day, minute)) return out;
  for (const Letter &l : letters) {
    const auto j = json::parse(l.payload, nullptr, false);
    if (!j.is_object()) continue;
    Event e;
    e.id = j.value("id", "");
    e.camera = j.value("camera", "");
    e.label = j.value("label", "");
    e.start_time = j.value("time", 0.0);
    if (sees.has(e.camera) && now - e.start_time < PushSender::oldest_message) out.push_back(std::move(e));
  }
  return out;
}

// When to look at this device again; 0: there is nothing to do.
double Push::deliver(const Device &d) {
  constexpr int most_letters = 1000;
  const std::string &id = d->stored.id, service = push_origin(d->stored.endpoint);
  const double now = Utc::monotonic_seconds();
  const std::vector<Letter> letters = outbox_.letters(push_box(id), most_letters);
  if (letters.empty()) {
    schedule_.done(id);
    return 0;
  }
  if (const double due = schedule_.due(*d, service, now); now < due) return due;
  const auto sees = rights_(d->stored.owner, d->stored.credential);
  if (!sees) {
    forget(d, "its owner is gone, or has another password or token");
    return 0;
  }
  const std::vector<Event> events = due_events(*d, *sees, letters);
  if (!events.empty()) {
    using Kind = PushSender::Answer::Kind;
    const PushSender::Answer a = sender_.send(*d, message_of(*d, events, titles_));
    if (ended_) return 0;
    if (a.kind == Kind::gone) {
      forget(d, "the push service says " + a.wrong);
      return 0;
    }
    if (a.kind == Kind::later)
      if (const double again = postpone(d, letters, a)) return again;
    if (a.kind == Kind::refused)
      log_("the push service " + service + " does not take a message for " + d->stored.name + ": " + a.wrong +
           "; it is not sent again");
    if (a.kind == Kind::taken) schedule_.taken(id, service, Utc::monotonic_seconds());
    devices_.set_result(d, a.kind == Kind::taken, a.wrong);
  }
  for (const Letter &l : letters) outbox_.delivered(l.id);
  schedule_.done(id);
  return Utc::monotonic_seconds(); // more may have come meanwhile
}

// When to try it again; 0: it was tried often enough.
double Push::postpone(const Device &d, const std::vector<Letter> &letters, const PushSender::Answer &a) {
  const std::string service = push_origin(d->stored.endpoint);
  if (!schedule_.fails(service))
    log_("the push service " + service + ": " + a.wrong + "; trying again, messages are kept meanwhile");
  const double again = schedule_.postpone(d->stored.id, service, a.retry_after, Utc::monotonic_seconds());
  if (again == 0)
    log_(vigil::text("the push service ", service, " has not taken a message of ",
                     counted(letters.size(), "event"), " for ", d->stored.name, " at ",
                     PushSchedule::most_tries, " tries: ", a.wrong, "; it is given up"));
  return again;
}

void Push::run() {
  while (!ended_) {
    std::set<std::string> ids;
    {
      const std::lock_guard held(lock_);
      ids.swap(pending_);
    }
    constexpr double long_time = 3600;
    const double now = Utc::monotonic_seconds();
    double next = now + long_time;
    std::set<std::string> rest;
    const std::vector<Device> devices = devices_.all();
    schedule_.keep_only(devices);
    for (const Device &d : devices) {
      if (ended_) return;
      if (!ids.count(d->stored.id)) continue;
      double again = 0;
      try {
        again = deliver(d);
      } catch (const std::exception &e) {
        log_("messages to a device of " + d->stored.name + ": " + mask_credentials(e.what()));
        constexpr double later = 30; // the disk is full, or the key cannot be read
        again = Utc::monotonic_seconds() + later;
      }
      if (again == 0) continue;
      rest.insert(d->stored.id);
      next = std::min(next, again);
    }
    std::unique_lock held(lock_);
    pending_.insert(rest.begin(), rest.end());
    const double wait = next - Utc::monotonic_seconds();
    if (wait > 0)
      wake_.wait_for(held, std::chrono::duration<double>(wait), [&] {
        return ended_ || std::any_of(pending_.begin(), pending_.end(),
                                     [&](const std::string &id) { return !rest.count(id); });
      });
  }
}

} // namespace vigil::monitor
