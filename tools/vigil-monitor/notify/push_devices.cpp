// SPDX-License-Identifier: LGPL-2.1-or-later
#include "push_devices.h"

#include "../camera/utc.h"
#include "../http/tokens.h"
#include "common/error.h"
#include "push_message.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

namespace vigil::monitor {

PushDevices::PushDevices(PushStore &store, const std::function<void(const std::string &)> &log)
    : store_(store) {
  for (StoredDevice &d : store_.devices()) {
    PushSettings settings;
    try {
      settings = changed_settings({}, nlohmann::json::parse(d.settings, nullptr, false));
    } catch (const Error &e) {
      log("a device of " + d.name +
          " has settings that cannot be read, and gets messages of all: " + e.what());
    }
    all_.push_back(std::make_shared<PushDevice>(PushDevice{std::move(d), settings}));
  }
}

std::vector<PushDevices::Device> PushDevices::all() const {
  const std::lock_guard held(lock_);
  return all_;
}

PushDevices::Device PushDevices::find(const std::string &id) const {
  for (const Device &d : all())
    if (d->stored.id == id) return d;
  return nullptr;
}

PushDevices::Device PushDevices::add(StoredDevice d, const PushSettings &settings) {
  push_origin(d.endpoint);
  encrypt_push({d.endpoint, d.p256dh, d.secret},
               "x"); // a key that is none is refused now, not at the first event
  d.id = random_word().substr(0, 16);
  d.settings = to_json(settings).dump();
  const auto made = std::make_shared<PushDevice>(PushDevice{d, settings});
  const std::lock_guard held(lock_);
  std::vector<Device> others;
  std::size_t of_owner = 0;
  for (const Device &other : all_)
    if (other->stored.endpoint != d.endpoint) {
      others.push_back(other);
      of_owner += other->stored.owner == d.owner;
    }
  if (of_owner >= most_of_one || others.size() >= most)
    fail(Error::Kind::bad_setting, "there are ", of_owner >= most_of_one ? of_owner : others.size(),
         " devices already; end one that is not used any more");
  store_.put(d);
  all_ = std::move(others);
  all_.push_back(made);
  return made;
}

PushDevices::Device PushDevices::change(const std::string &id, const PushSettings &settings) {
  const std::lock_guard held(lock_);
  for (Device &d : all_)
    if (d->stored.id == id) {
      auto now = std::make_shared<PushDevice>(PushDevice{d->stored, settings});
      now->stored.settings = to_json(settings).dump();
      store_.put(now->stored);
      d = now;
      return d;
    }
  return nullptr;
}

bool PushDevices::remove(const std::string &id) {
  const std::lock_guard held(lock_);
  const bool was_there = store_.remove(id);
  std::erase_if(all_, [&](const Device &d) { return d->stored.id == id; });
  tested_.erase(id);
  return was_there;
}

void PushDevices::set_result(const Device &d, bool taken, const std::string &problem) {
  auto now = std::make_shared<PushDevice>(*d);
  if (taken) now->stored.sent = Utc::system_seconds();
  now->stored.problem = problem;
  const std::lock_guard held(lock_);
  for (Device &other : all_)
    if (other->stored.id == d->stored.id) {
      now->settings = other->settings; // they may have changed meanwhile
      now->stored.settings = other->stored.settings;
      other = now;
      store_.set_result(d->stored.id, now->stored.sent, problem);
      return;
    }
}

bool PushDevices::may_test(const std::string &id) {
  constexpr double between_tests = 3;
  const std::lock_guard held(lock_);
  const double now = Utc::monotonic_seconds();
  const auto before = tested_.find(id);
  if (before != tested_.end() && now - before->second < between_tests) return false;
  tested_[id] = now;
  return true;
}

} // namespace vigil::monitor
