// SPDX-License-Identifier: LGPL-2.1-or-later
#include "talks.h"

#include "../camera/utc.h"
#include "../config/text.h"
#include "../http/tokens.h"
#include "common/error.h"
#include "common/guarded.h"

#include <chrono>
#include <utility>
#include <vector>

namespace vigil::monitor {

struct Talks::Place {
  Place(Talks &talks, std::string c, const std::string &who) : all(talks), camera(std::move(c)) {
    const std::lock_guard guard(all.lock_);
    if (all.stopped_) throw WebRefused{503, "the program is stopping"};
    if (const auto other = all.talks_.find(camera); other != all.talks_.end())
      throw WebRefused{409,
                       other->second.who + " speaks to camera " + camera + " now; one person may at a time"};
    if (all.talks_.size() >= most)
      throw WebRefused{503, text("people speak to ", most, " cameras at once, and no more may")};
    all.talks_[camera].who = who;
  }
  ~Place() {
    if (!kept) all.free_place(camera);
  }
  Place(const Place &) = delete;
  Place &operator=(const Place &) = delete;
  Talks &all;
  const std::string camera;
  bool kept = false;
};

Talks::Talks(WebRtcConfig config, std::function<void(const std::string &)> log)
    : config_(std::move(config)), log_(std::move(log)), webrtc_(config_),
      thread_([this] { guard("people who speak to cameras", [this] { look_after(); }); }) {}

// The end of a talk uses this object.
Talks::~Talks() {
  stop();
  constexpr std::chrono::seconds often(1);
  while (!reaper_.wait(often)) {
  }
}

void Talks::stop() {
  std::map<std::string, std::string> over; // ids, by camera
  {
    const std::lock_guard guard(lock_);
    stopped_ = true;
    for (const auto &[camera, talk] : talks_) over[camera] = talk.id;
    wake_.notify_all();
  }
  if (thread_.joinable()) thread_.join();
  for (const auto &[camera, id] : over) leave(camera, id, "the program stops");
  constexpr std::chrono::seconds patience(5);
  if (!reaper_.wait(patience)) log_("some connections to speak to cameras do not end in time");
}

void Talks::free_place(const std::string &camera) {
  const std::lock_guard guard(lock_);
  talks_.erase(camera);
  freed_.notify_all();
}

// The place is free when the camera's connection has ended: many a camera has one back channel. That one goes
// first: the voice may wait for it.
bool Talks::leave(const std::string &camera, const std::string &id, const std::string &why) {
  const auto talk = std::make_shared<Talk>();
  {
    const std::lock_guard guard(lock_);
    const auto found = talks_.find(camera);
    if (id.empty() || found == talks_.end() || found->second.id != id) return false;
    *talk = std::exchange(found->second, Talk{found->second.who, "", nullptr, nullptr, {}, {}, 0});
  }
  reaper_.add([this, talk, camera, why] {
    const double seconds = Utc::monotonic_seconds() - talk->began;
    guard("the end of a talk", [&] {
      talk->camera->end();
      talk->voice.reset();
      talk->camera.reset();
    });
    guard("the end of a talk", [&] { talk->ended(seconds, why); });
    free_place(camera);
  });
  return true;
}

Talks::Begun Talks::begin(const Asked &asked) {
  webrtc_.need();
  const Voice::Wish wish{Offer(asked.sdp, Offer::Way::from_browser), asked.on_this_machine};
  Voice::need_g711(wish.offer);
  Place place(*this, asked.camera, asked.who);
  Talk talk{asked.who, random_word(), nullptr, nullptr, asked.allowed, asked.ended, 0};
  const auto wanted = [&] {
    const std::lock_guard guard(lock_);
    return !stopped_;
  };
  talk.camera = Loudspeaker::open(asked.target, wanted);
  talk.voice = std::make_shared<Voice>(wish, config_, talk.camera->form(),
                                       [camera = talk.camera](GstSample *s) { camera->push(s); });
  talk.began = Utc::monotonic_seconds();
  Begun out{talk.id, talk.voice->answer()};
  const std::lock_guard guard(lock_);
  if (stopped_) throw WebRefused{503, "the program is stopping"};
  talks_[asked.camera] = std::move(talk);
  place.kept = true;
  wake_.notify_all();
  return out;
}

bool Talks::end(const std::string &camera, const std::string &id) {
  if (!leave(camera, id, "the speaker ended it")) return false;
  constexpr std::chrono::seconds patience(5);
  std::unique_lock guard(lock_);
  freed_.wait_for(guard, patience, [&] {
    const auto now = talks_.find(camera);
    return now == talks_.end() || !now->second.id.empty();
  });
  return true;
}

bool Talks::candidates(const std::string &camera, const std::string &id, const std::string &fragment) {
  std::shared_ptr<Voice> voice;
  {
    const std::lock_guard guard(lock_);
    const auto found = talks_.find(camera);
    if (found == talks_.end() || found->second.id.empty() || found->second.id != id) return false;
    voice = found->second.voice;
  }
  for (const std::string &line : candidates_of(fragment)) voice->candidate(line);
  return true;
}

std::string Talks::over(const Talk &talk, double now) {
  if (!talk.allowed())
    return "the right to speak to the camera has ended, or the camera is no longer the same";
  if (const std::string why = talk.voice->over(now); !why.empty()) return why;
  if (const std::string why = talk.camera->over(now); !why.empty()) return why;
  return now - talk.began > most_seconds ? text("nobody speaks longer than ", most_seconds / 60, " minutes")
                                         : "";
}

void Talks::look_after() {
  constexpr std::chrono::seconds often(1);
  std::unique_lock guard(lock_);
  while (!stopped_) {
    if (talks_.empty()) {
      wake_.wait(guard);
      continue;
    }
    wake_.wait_for(guard, often, [this] { return stopped_; });
    std::map<std::string, Talk> now = talks_;
    guard.unlock();
    struct Ended {
      std::string camera, id, why;
    };
    std::vector<Ended> ended;
    const double time = Utc::monotonic_seconds();
    for (const auto &[camera, talk] : now)
      if (!talk.id.empty())
        if (const std::string why = over(talk, time); !why.empty()) ended.push_back({camera, talk.id, why});
    now.clear(); // first: none should have its last owner here
    for (const Ended &e : ended) leave(e.camera, e.id, e.why);
    guard.lock();
  }
}

} // namespace vigil::monitor
