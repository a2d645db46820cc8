// SPDX-License-Identifier: LGPL-2.1-or-later
#include "ptz_head.h"

#include "../camera/utc.h"
#include "../config/text.h"
#include "../printable.h"
#include "common/error.h"
#include "common/guarded.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <utility>

namespace vigil::monitor {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();

} // namespace

PtzHead::PtzHead(const std::string &address, News news)
    : news_(std::move(news)), device_(address, ended_),
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
  return orders_.stop_at().has_value();
}

bool PtzHead::is_last(std::uint64_t number) const {
  const std::lock_guard held(lock_);
  return orders_.is_last(number);
}

template <class F>
auto PtzHead::ask(F f) {
  const auto can = abilities();
  if (!can) fail(Error::Kind::io, "the device at ", device_.host(), " has not said yet whether it turns");
  if (!can->any())
    fail(Error::Kind::bad_setting, "the device at ", device_.host(), " has no profile that turns");
  PtzDevice::Turn device(device_);
  try {
    return f(device, *can);
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
    // Before the request: a device that takes it and never answers is stopped, too.
    number = orders_.move(Utc::monotonic_seconds());
    more_.notify_all();
  }
  ask([&](PtzDevice::Turn &device, const PtzAbilities &can) {
    if (is_last(number)) device.move(can, speed);
  });
}

void PtzHead::stop_now(std::uint64_t number) {
  ask([&](PtzDevice::Turn &device, const PtzAbilities &can) {
    if (is_last(number))
      device.ask("Stop", vigil::text("<PanTilt>", can.pan_tilt ? "true" : "false", "</PanTilt><Zoom>",
                                     can.zoom ? "true" : "false", "</Zoom>"));
  });
  const std::lock_guard held(lock_);
  orders_.stopped(number);
}

void PtzHead::stop() {
  std::uint64_t number = 0;
  {
    const std::lock_guard held(lock_);
    number = orders_.stop(Utc::monotonic_seconds());
  }
  stop_now(number);
}

void PtzHead::travel(const char *request, const std::string &more, bool possible) {
  if (!possible) fail(Error::Kind::bad_setting, "the device at ", device_.host(), " offers no ", request);
  std::optional<double> stop_at;
  {
    const std::lock_guard held(lock_);
    stop_at = orders_.travel();
  }
  try {
    ask([&](PtzDevice::Turn &device, const PtzAbilities &) { device.ask(request, more); });
  } catch (const Error &) {
    const std::lock_guard held(lock_);
    orders_.travel_failed(stop_at);
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
  return ask([&](PtzDevice::Turn &device, const PtzAbilities &can) {
    return can.presets > 0 ? presets_of(device.ask("GetPresets")) : std::vector<PtzPreset>();
  });
}

std::string PtzHead::set_preset(const std::string &name, const std::string &preset) {
  return ask([&](PtzDevice::Turn &device, const PtzAbilities &) {
    std::string more;
    if (!name.empty()) more += vigil::text("<PresetName>", xml_escaped(name), "</PresetName>");
    if (!preset.empty()) more += vigil::text("<PresetToken>", xml_escaped(preset), "</PresetToken>");
    const std::string token = device.ask("SetPreset", more).text_of({"PresetToken"});
    if (!preset.empty()) return preset;
    if (!is_ptz_token(token))
      fail(Error::Kind::bad_data, "the device at ", device_.host(), " names its new preset '",
           printable(token, most_said), "', which cannot be used");
    return token;
  });
}

void PtzHead::remove_preset(const std::string &preset) {
  ask([&](PtzDevice::Turn &device, const PtzAbilities &) {
    device.ask("RemovePreset", vigil::text("<PresetToken>", xml_escaped(preset), "</PresetToken>"));
  });
}

void PtzHead::read() {
  PtzAbilities can;
  std::string why;
  try {
    can = device_.read();
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
    const std::optional<double> stop_at = orders_.stop_at();
    if (stop_at && now >= *stop_at) {
      const auto number = orders_.stop_again(now);
      held.unlock();
      try {
        if (number) stop_now(*number);
      } catch (const Error &e) {
        if (!ended_) news_.log("it was not stopped: " + mask_credentials(e.what()));
      }
      held.lock();
      continue;
    }
    if (!stop_at && now >= read_at_) {
      held.unlock();
      read();
      held.lock();
      continue;
    }
    constexpr double longest = 3600;
    const double next = stop_at ? *stop_at : read_at_;
    more_.wait_for(held, std::chrono::duration<double>(std::clamp(next - now, 0.0, longest)));
  }
}

} // namespace vigil::monitor
