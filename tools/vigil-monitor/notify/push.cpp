// SPDX-License-Identifier: LGPL-2.1-or-later
#include "push.h"

#include "../camera/utc.h"
#include "../config/text.h"
#include "../counted.h"
#include "../http/tokens.h"
#include "common/error.h"
#include "common/guarded.h"
#include "notice.h"
#include "public_address.h"
#include "transfer.h"
#include "vapid_key.h"

#include <algorithm>
#include <exception>
#include <glib.h>
#include <sys/socket.h>
#include <tuple>
#include <unistd.h>
#include <utility>

namespace vigil::monitor {
namespace {

using nlohmann::json;

constexpr double gather_seconds = 3; // the pictures of events are made meanwhile, too
constexpr double oldest_message = 4 * 3600;
constexpr double least_wait = 2, longest_wait = 600; // seconds between two tries at a service
constexpr double longest_retry_after = 3600;
constexpr int most_tries = 12; // of one message
constexpr double between_tests = 3;

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

struct OpenedFor {
  bool private_addresses = false, refused = false;
};

curl_socket_t open_checked(void *user, curlsocktype, curl_sockaddr *address) {
  auto &for_whom = *static_cast<OpenedFor *>(user);
  if (!for_whom.private_addresses && !is_public(address->addr)) {
    for_whom.refused = true;
    return CURL_SOCKET_BAD;
  }
  return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

constexpr curl_socket_t no_socket = CURL_SOCKET_BAD;

} // namespace

Push::Push(PushConfig config, PushStore &store, EventStore &outbox, std::string key_file, Rights rights,
           CameraTitles titles, Log log)
    : config_(std::move(config)), store_(store), outbox_(outbox), key_file_(std::move(key_file)),
      rights_(std::move(rights)), titles_(std::move(titles)), log_(std::move(log)) {
  curl_global_init(CURL_GLOBAL_DEFAULT);
  std::vector<std::string> boxes;
  for (StoredDevice &d : store_.devices()) {
    PushSettings settings;
    try {
      settings = changed_settings({}, json::parse(d.settings, nullptr, false));
    } catch (const Error &e) {
      log_("a device of " + d.name +
           " has settings that cannot be read, and gets messages of all: " + e.what());
    }
    boxes.push_back(push_box(d.id));
    pending_.insert(d.id);
    devices_.push_back(std::make_shared<PushDevice>(PushDevice{std::move(d), settings}));
  }
  outbox_.drop_boxes(prefix, config_.enabled ? boxes : std::vector<std::string>());
  if (config_.enabled) thread_.begin("push messages", [this] { run(); });
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

const P256Key &Push::key() {
  const std::lock_guard held(key_lock_);
  if (!key_) key_ = vapid_key(key_file_);
  return *key_;
}

std::string Push::public_key() {
  return base64url(key().point());
}

std::vector<Push::Device> Push::devices() const {
  const std::lock_guard held(lock_);
  return devices_;
}

Push::Device Push::find(const std::string &id) const {
  for (const Device &d : devices())
    if (d->stored.id == id) return d;
  return nullptr;
}

Push::Device Push::add(StoredDevice d, const PushSettings &settings) {
  push_origin(d.endpoint);
  encrypt_push({d.endpoint, d.p256dh, d.secret},
               "x"); // a key that is none is refused now, not at the first event
  d.id = random_word().substr(0, 16);
  d.settings = to_json(settings).dump();
  const auto made = std::make_shared<PushDevice>(PushDevice{d, settings});
  const std::lock_guard held(lock_);
  std::vector<Device> others;
  std::size_t of_owner = 0;
  for (const Device &other : devices_)
    if (other->stored.endpoint != d.endpoint) {
      others.push_back(other);
      of_owner += other->stored.owner == d.owner;
    }
  if (of_owner >= most_of_one || others.size() >= most)
    fail(Error::Kind::bad_setting, "there are ", of_owner >= most_of_one ? of_owner : others.size(),
         " devices already; end one that is not used any more");
  store_.put(d);
  devices_ = std::move(others);
  devices_.push_back(made);
  return made;
}

Push::Device Push::change(const std::string &id, const PushSettings &settings) {
  const std::lock_guard held(lock_);
  for (Device &d : devices_)
    if (d->stored.id == id) {
      auto now = std::make_shared<PushDevice>(PushDevice{d->stored, settings});
      now->stored.settings = to_json(settings).dump();
      store_.put(now->stored);
      d = now;
      return d;
    }
  return nullptr;
}

bool Push::remove(const std::string &id) {
  bool was_there = false;
  {
    const std::lock_guard held(lock_);
    was_there = store_.remove(id);
    std::erase_if(devices_, [&](const Device &d) { return d->stored.id == id; });
    pending_.erase(id);
    tested_.erase(id);
  }
  outbox_.drop_boxes(push_box(id), {});
  return was_there;
}

void Push::remove_void() {
  for (const Device &d : devices())
    if (!rights_(d->stored.owner, d->stored.credential)) {
      remove(d->stored.id);
      log_("a device of " + d->stored.name +
           " gets no messages any more: its owner is gone, or has another password");
    }
}

std::vector<Posting> Push::postings(const std::optional<Event> &before, const Event &now) {
  std::vector<Posting> out;
  if (!config_.enabled) return out;
  std::set<std::string> noted;
  for (const Device &d : devices()) {
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
  {
    const std::lock_guard held(lock_);
    const double now = Utc::monotonic_seconds();
    const auto before = tested_.find(d->stored.id);
    if (before != tested_.end() && now - before->second < between_tests)
      return "a test was sent a moment ago; wait some seconds";
    tested_[d->stored.id] = now;
  }
  const Answer a = send(*d, json{{"kind", "test"}, {"language", d->settings.language}}.dump());
  if (a.kind == Answer::Kind::gone)
    forget(d, a.wrong);
  else
    note_result(d, a.kind == Answer::Kind::taken, a.wrong);
  return a.wrong;
}

Push::Answer Push::send(const PushDevice &d, const std::string &message) {
  const StoredDevice &s = d.stored;
  const std::string origin = push_origin(s.endpoint),
                    body = encrypt_push({s.endpoint, s.p256dh, s.secret}, message);
  const Transfer t(ended_);
  std::unique_ptr<curl_slist, void (*)(curl_slist *)> headers(nullptr, curl_slist_free_all);
  const std::string authorization = push_authorization(
      key(), origin, config_.contact.empty() ? s.site : config_.contact, Utc::system_seconds());
  for (const std::string &line :
       {std::string("Content-Type: application/octet-stream"), std::string("Content-Encoding: aes128gcm"),
        vigil::text("TTL: ", static_cast<int>(oldest_message)), std::string("Urgency: high"),
        std::string("Expect:"), "Authorization: " + authorization}) {
    curl_slist *longer = curl_slist_append(headers.get(), line.c_str());
    if (!longer) fail(Error::Kind::no_memory, "libcurl has no memory");
    std::ignore = headers.release();
    headers.reset(longer);
  }
  OpenedFor opened{config_.private_addresses, false};
  curl_easy_setopt(t.get(), CURLOPT_URL, s.endpoint.c_str());
  curl_easy_setopt(t.get(), CURLOPT_PROTOCOLS_STR, "https");
  curl_easy_setopt(t.get(), CURLOPT_OPENSOCKETFUNCTION, (guarded<open_checked, no_socket>));
  curl_easy_setopt(t.get(), CURLOPT_OPENSOCKETDATA, &opened);
  if (!config_.ca_file.empty()) curl_easy_setopt(t.get(), CURLOPT_CAINFO, config_.ca_file.c_str());
  curl_easy_setopt(t.get(), CURLOPT_HTTPHEADER, headers.get());
  curl_easy_setopt(t.get(), CURLOPT_POSTFIELDSIZE, static_cast<long>(body.size()));
  curl_easy_setopt(t.get(), CURLOPT_POSTFIELDS, body.data());
  long status = 0;
  const CURLcode code = t.perform(status);
  if (opened.refused)
    return {"the push service's address is not public, and push: {private_addresses: true} is not set",
            Answer::Kind::refused, 0};
  if (code != CURLE_OK) return {curl_easy_strerror(code), Answer::Kind::later, 0};
  if (status >= 200 && status < 300) return {};
  constexpr long not_found = 404, gone = 410;
  const std::string wrong = vigil::text("status ", status);
  if (status == not_found || status == gone) return {wrong, Answer::Kind::gone, 0};
  if (refuses_for_good(status)) return {wrong, Answer::Kind::refused, 0};
  curl_off_t after = 0;
  curl_easy_getinfo(t.get(), CURLINFO_RETRY_AFTER, &after);
  return {wrong, Answer::Kind::later, std::clamp(static_cast<double>(after), 0., longest_retry_after)};
}

void Push::note_result(const Device &d, bool taken, const std::string &problem) {
  auto now = std::make_shared<PushDevice>(*d);
  if (taken) now->stored.sent = Utc::system_seconds();
  now->stored.problem = problem;
  const std::lock_guard held(lock_);
  for (Device &other : devices_)
    if (other->stored.id == d->stored.id) {
      now->settings = other->settings; // they may have changed meanwhile
      now->stored.settings = other->stored.settings;
      other = now;
      store_.set_result(d->stored.id, now->stored.sent, problem);
      return;
    }
}

void Push::forget(const Device &d, const std::string &why) {
  remove(d->stored.id);
  for (auto *times : {&noticed_, &last_}) times->erase(d->stored.id);
  tries_.erase(d->stored.id);
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
    if (sees.has(e.camera) && now - e.start_time < oldest_message) out.push_back(std::move(e));
  }
  return out;
}

// When to look at this device again; 0: there is nothing to do.
double Push::deliver(const Device &d) {
  constexpr int most_letters = 1000;
  const std::string &id = d->stored.id;
  const double now = Utc::monotonic_seconds();
  const std::vector<Letter> letters = outbox_.letters(push_box(id), most_letters);
  if (letters.empty()) {
    noticed_.erase(id);
    return 0;
  }
  const double noticed = noticed_.try_emplace(id, now).first->second;
  const auto last = last_.find(id);
  const double due =
      std::max({noticed + gather_seconds, last == last_.end() ? 0 : last->second + d->settings.min_interval,
                services_[push_origin(d->stored.endpoint)].next});
  if (now < due) return due;
  const auto sees = rights_(d->stored.owner, d->stored.credential);
  if (!sees) {
    forget(d, "its owner is gone, or has another password or token");
    return 0;
  }
  const std::vector<Event> events = due_events(*d, *sees, letters);
  if (!events.empty()) {
    const Answer a = send(*d, message_of(*d, events, titles_));
    if (ended_) return 0;
    if (a.kind == Answer::Kind::gone) {
      forget(d, "the push service says " + a.wrong);
      return 0;
    }
    if (a.kind == Answer::Kind::later)
      if (const double again = postpone(d, letters, a)) return again;
    if (a.kind == Answer::Kind::refused)
      log_("the push service " + push_origin(d->stored.endpoint) + " does not take a message for " +
           d->stored.name + ": " + a.wrong + "; it is not sent again");
    if (a.kind == Answer::Kind::taken) {
      services_[push_origin(d->stored.endpoint)] = {};
      last_[id] = Utc::monotonic_seconds();
    }
    note_result(d, a.kind == Answer::Kind::taken, a.wrong);
  }
  for (const Letter &l : letters) outbox_.delivered(l.id);
  noticed_.erase(id);
  tries_.erase(id);
  return Utc::monotonic_seconds(); // more may have come meanwhile
}

// When to try it again; 0: it was tried often enough.
double Push::postpone(const Device &d, const std::vector<Letter> &letters, const Answer &a) {
  const std::string origin = push_origin(d->stored.endpoint);
  Service &service = services_[origin];
  if (service.wait == 0)
    log_("the push service " + origin + ": " + a.wrong + "; trying again, messages are kept meanwhile");
  service.wait = std::clamp(2 * service.wait, least_wait, longest_wait);
  service.next = Utc::monotonic_seconds() + std::max(service.wait, a.retry_after);
  if (++tries_[d->stored.id] < most_tries) return service.next;
  log_(vigil::text("the push service ", origin, " has not taken a message of ",
                   counted(letters.size(), "event"), " for ", d->stored.name, " at ", most_tries,
                   " tries: ", a.wrong, "; it is given up"));
  return 0;
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
    for (const Device &d : devices()) {
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
