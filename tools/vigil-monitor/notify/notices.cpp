// SPDX-License-Identifier: LGPL-2.1-or-later
#include "notices.h"

#include "../camera/backoff.h"
#include "../camera/utc.h"
#include "../config/text.h"
#include "common/error.h"

#include <algorithm>
#include <exception>
#include <nlohmann/json.hpp>
#include <utility>

namespace vigil::monitor {
namespace {

// Of the server and the people, so that a message never goes to those of another rule.
std::string box_of(const NotifyConfig &c) {
  std::string out = Notices::prefix + c.url;
  for (const std::string &to : c.to) out += " " + to;
  for (const auto *names : {&c.cameras, &c.labels, &c.zones}) {
    out += " |";
    for (const std::string &name : *names) out += " " + name;
  }
  return out;
}

Event read(const std::string &payload) {
  Event e;
  const auto j = nlohmann::json::parse(payload, nullptr, false);
  if (!j.is_object()) return e;
  e.id = j.value("id", "");
  e.camera = j.value("camera", "");
  e.label = j.value("label", "");
  e.start_time = j.value("start", 0.0);
  return e;
}

} // namespace

Notices::Notices(NotifyConfig rule, EventStore &store, CameraTitles titles,
                 std::function<std::string(const Event &)> picture,
                 std::function<void(const std::string &)> log)
    : rule_(std::move(rule)), box_(box_of(rule_)), store_(store), titles_(std::move(titles)),
      picture_(std::move(picture)), log_(std::move(log)) {
  curl_global_init(CURL_GLOBAL_DEFAULT);
  thread_.begin("messages", [this] { run(); });
}

Notices::~Notices() {
  constexpr std::chrono::hours for_ever(24);
  end(for_ever);
  curl_global_cleanup();
}

bool Notices::end(std::chrono::milliseconds patience) {
  {
    const std::lock_guard held(lock_); // or the thread that goes to sleep at this moment misses it
    ended_ = true;
  }
  wake_.notify_all();
  return thread_.ends_within(patience);
}

void Notices::wake() {
  const std::lock_guard held(lock_);
  more_ = true;
  wake_.notify_all();
}

std::optional<Posting> Notices::posting(const std::optional<Event> &before, const Event &now) const {
  if (!becomes_wanted(rule_, before, now)) return std::nullopt;
  const nlohmann::json j = {
      {"id", now.id}, {"camera", now.camera}, {"label", now.label}, {"start", now.start_time}};
  return Posting{box_, {0, "", j.dump(), false}};
}

Delivery Notices::test() const {
  return send_notice(rule_, test_notice(), ended_);
}

bool Notices::pause(double seconds) {
  std::unique_lock held(lock_);
  wake_.wait_for(held, std::chrono::duration<double>(seconds), [this] { return ended_.load(); });
  return !ended_;
}

Delivery Notices::send(const std::vector<Letter> &letters) {
  std::vector<Event> events;
  for (const Letter &l : letters) events.push_back(read(l.payload));
  Notice n = notice_of(events, titles_);
  // The newest picture that there is.
  for (auto e = events.rbegin(); e != events.rend() && n.jpeg.empty(); ++e) {
    n.jpeg = picture_(*e);
    n.name = e->id + ".jpg";
  }
  return send_notice(rule_, n, ended_);
}

void Notices::run() {
  constexpr double gather = 3; // seconds; the pictures of events are made meanwhile, too
  constexpr int most = 1000;
  Backoff backoff;
  std::string logged;
  double last = -rule_.min_interval; // monotonic
  while (!ended_) {
    Delivery done;
    bool something = false;
    try {
      something = !store_.letters(box_, 1).empty();
      if (something) {
        if (!pause(std::max(gather, last + rule_.min_interval - Utc::monotonic_seconds()))) return;
        const std::vector<Letter> letters = store_.letters(box_, most);
        const bool quiet = is_quiet(rule_.quiet, Utc::system_seconds());
        if (!quiet && !letters.empty()) {
          done = send(letters);
          if (ended_) return;
          if (done.wrong.empty()) last = Utc::monotonic_seconds();
        }
        if (done.for_good)
          log_(shown_target(rule_) + " refuses a message: " + done.wrong + "; it is not sent again");
        if (quiet || done.wrong.empty() || done.for_good)
          for (const Letter &l : letters) store_.delivered(l.id);
      }
    } catch (const std::exception &e) {
      done = {e.what(), false};
    }
    if (ended_) return;
    if (!done.wrong.empty() && !done.for_good) {
      if (done.wrong != logged)
        log_(shown_target(rule_) + ": " + mask_credentials(done.wrong) +
             "; trying again until it works, messages are kept meanwhile");
      logged = done.wrong;
      if (!pause(backoff.next())) return;
      continue;
    }
    if (something) {
      if (!logged.empty() && done.wrong.empty()) log_(shown_target(rule_) + " takes messages again");
      if (done.wrong.empty()) logged.clear();
      backoff = {};
      continue;
    }
    std::unique_lock held(lock_);
    constexpr double long_time = 3600;
    wake_.wait_for(held, std::chrono::duration<double>(long_time), [this] { return ended_ || more_; });
    more_ = false;
  }
}

} // namespace vigil::monitor
