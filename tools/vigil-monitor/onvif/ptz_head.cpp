// SPDX-License-Identifier: LGPL-2.1-or-later
#include "ptz_head.h"

#include "../camera/utc.h"
#include "../config/text.h"
#include "../printable.h"
#include "common/error.h"
#include "common/guarded.h"
#include "media.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <utility>

namespace vigil::monitor {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();

} // namespace

PtzHead::PtzHead(const std::string &address, News news)
    : news_(std::move(news)), device_(device_address(address)), client_(device_, login_in(address), ended_),
      thread_([this] { guard("a camera that turns", [this] { run(); }); }) {}

PtzHead::~PtzHead() {
  {
    const std::lock_guard held(lock_);
    ended_ = true;
    more_.notify_all();
  }
  thread_.join();
}

std::optional<PtzAbilities> PtzHead::abilities() const {
  const std::lock_guard held(lock_);
  return abilities_;
}

bool PtzHead::moving() const {
  const std::lock_guard held(lock_);
  return stop_at_.has_value();
}

bool PtzHead::is_last(std::uint64_t number) const {
  const std::lock_guard held(lock_);
  return number == number_;
}

template <class F>
auto PtzHead::ask(F f) {
  constexpr std::chrono::seconds patience(5);
  const auto can = abilities();
  if (!can) fail(Error::Kind::io, "the device at ", device_.host, " has not said yet whether it turns");
  if (!can->any())
    fail(Error::Kind::bad_setting, "the device at ", device_.host, " has no profile that turns");
  std::unique_lock<std::timed_mutex> asking(asking_, patience);
  if (!asking)
    fail(Error::Kind::io, "the device at ", device_.host, " is still busy with an earlier request");
  try {
    client_.begin();
    return f(*can);
  } catch (const Error &) { // it may be another device by now, or have another clock
    const std::lock_guard held(lock_);
    read_at_ = std::min(read_at_, Utc::monotonic_seconds() + 5);
    more_.notify_all();
    throw;
  }
}

void PtzHead::move(const PtzSpeed &speed) {
  std::uint64_t number = 0;
  {
    const std::lock_guard held(lock_);
    number = ++number_;
    // Before the request: a device that takes it and never answers is stopped, too.
    stop_at_ = Utc::monotonic_seconds() + seconds_of_move;
    stops_failed_ = 0;
    more_.notify_all();
  }
  ask([&](const PtzAbilities &can) {
    if (!is_last(number)) return;
    constexpr int device_stops_after = 2;
    client_.ask(ptz_, move_request(profile_, can, speed, device_stops_after));
  });
}

void PtzHead::stop_now(std::uint64_t number) {
  ask([&](const PtzAbilities &can) {
    if (!is_last(number)) return;
    client_.ask(ptz_, ptz_request("Stop", profile_,
                                  vigil::text("<PanTilt>", can.pan_tilt ? "true" : "false",
                                              "</PanTilt><Zoom>", can.zoom ? "true" : "false", "</Zoom>")));
  });
  const std::lock_guard held(lock_);
  if (number == number_) stop_at_.reset();
}

void PtzHead::stop() {
  std::uint64_t number = 0;
  {
    const std::lock_guard held(lock_);
    number = ++number_;
    if (stop_at_) stop_at_ = Utc::monotonic_seconds() + 1; // again, if this one fails
  }
  stop_now(number);
}

void PtzHead::travel(const char *request, const std::string &more, bool possible) {
  if (!possible) fail(Error::Kind::bad_setting, "the device at ", device_.host, " offers no ", request);
  std::optional<double> stop_at;
  {
    const std::lock_guard held(lock_);
    number_++;
    stop_at = std::exchange(stop_at_, std::nullopt); // a stop on the way would end it
  }
  try {
    ask([&](const PtzAbilities &) { client_.ask(ptz_, ptz_request(request, profile_, more)); });
  } catch (const Error &) {
    const std::lock_guard held(lock_);
    if (!stop_at_) stop_at_ = stop_at;
    more_.notify_all();
    throw;
  }
}

void PtzHead::go_to(const std::string &preset) {
  travel("GotoPreset", vigil::text("<PresetToken>", xml_escaped(preset), "</PresetToken>"), true);
}

void PtzHead::go_home() {
  const auto can = abilities();
  travel("GotoHomePosition", "", !can || can->home);
}

std::vector<PtzPreset> PtzHead::presets() {
  return ask([&](const PtzAbilities &can) {
    return can.presets > 0 ? presets_of(client_.ask(ptz_, ptz_request("GetPresets", profile_)))
                           : std::vector<PtzPreset>();
  });
}

std::string PtzHead::set_preset(const std::string &name, const std::string &preset) {
  return ask([&](const PtzAbilities &) {
    std::string more;
    if (!name.empty()) more += vigil::text("<PresetName>", xml_escaped(name), "</PresetName>");
    if (!preset.empty()) more += vigil::text("<PresetToken>", xml_escaped(preset), "</PresetToken>");
    const std::string token =
        client_.ask(ptz_, ptz_request("SetPreset", profile_, more)).text_of({"PresetToken"});
    if (!preset.empty()) return preset;
    if (!is_ptz_token(token))
      fail(Error::Kind::bad_data, "the device at ", device_.host, " names its new preset '",
           printable(token, most_said), "', which cannot be used");
    return token;
  });
}

void PtzHead::remove_preset(const std::string &preset) {
  ask([&](const PtzAbilities &) {
    client_.ask(ptz_, ptz_request("RemovePreset", profile_,
                                  vigil::text("<PresetToken>", xml_escaped(preset), "</PresetToken>")));
  });
}

void PtzHead::read() {
  const std::lock_guard asking(asking_);
  PtzAbilities can;
  std::string why;
  try {
    client_.begin();
    client_.read_clock();
    OnvifServices services(client_, device_);
    const auto ptz = services.find(ptz_service);
    std::optional<PtzProfile> profile;
    if (OnvifMedia media(client_, services); ptz && media.there()) profile = ptz_profile(media.profiles());
    if (profile) {
      can = profile->abilities;
      const XmlElement node =
          client_.ask(*ptz, vigil::text("<GetNode xmlns=\"http://www.onvif.org/ver20/ptz/wsdl\"><NodeToken>",
                                        xml_escaped(profile->node), "</NodeToken></GetNode>"));
      if (const auto said = abilities_of(node)) can = *said;
      ptz_ = *ptz;
      profile_ = profile->token;
    }
  } catch (const Error &e) {
    why = e.what();
  }
  bool news = false;
  {
    const std::lock_guard held(lock_);
    constexpr double first_wait = 5, longest_wait = 300;
    read_at_ = why.empty() ? never : Utc::monotonic_seconds() + read_wait_;
    read_wait_ = why.empty() ? first_wait : std::min(2 * read_wait_, longest_wait);
    if (why.empty()) {
      news = abilities_ != can;
      abilities_ = can;
    }
    if (why == said_)
      why.clear();
    else
      said_ = why;
  }
  if (!why.empty() && !ended_) news_.log("whether it turns is not known yet: " + mask_credentials(why));
  if (news) news_.changed();
}

void PtzHead::run() {
  std::unique_lock held(lock_);
  while (!ended_) {
    const double now = Utc::monotonic_seconds();
    if (stop_at_ && now >= *stop_at_) {
      constexpr int most_stops = 5;
      const std::uint64_t number = number_;
      const bool last = ++stops_failed_ > most_stops;
      if (last)
        stop_at_.reset();
      else
        stop_at_ = now + 1;
      held.unlock();
      try {
        if (!last) stop_now(number);
      } catch (const Error &e) {
        if (!ended_) news_.log("it was not stopped: " + mask_credentials(e.what()));
      }
      held.lock();
      continue;
    }
    if (!stop_at_ && now >= read_at_) {
      held.unlock();
      read();
      held.lock();
      continue;
    }
    constexpr double longest = 3600;
    const double next = stop_at_ ? *stop_at_ : read_at_;
    more_.wait_for(held, std::chrono::duration<double>(std::clamp(next - now, 0.0, longest)));
  }
}

} // namespace vigil::monitor
