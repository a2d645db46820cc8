// SPDX-License-Identifier: LGPL-2.1-or-later
#include "device_events.h"

namespace vigil::monitor {

void DeviceEvents::notice(const DeviceNotice &n) {
  Label &label = labels_[n.label];
  switch (n.state) {
  case DeviceNotice::State::on:
    if (label.active.size() < most_sources) label.active.insert(n.source);
    break;
  case DeviceNotice::State::off:
    label.active.erase(n.source);
    break;
  case DeviceNotice::State::moment:
    label.moment = true;
    break;
  }
}

bool DeviceEvents::may_begin(double now) {
  constexpr double minute = 60;
  while (!begun_.empty() && (begun_.front() <= now - minute || begun_.front() > now)) begun_.pop_front();
  if (begun_.size() >= most_begun) return false;
  begun_.push_back(now);
  return true;
}

void DeviceEvents::tick(double now, bool shown, bool turning) {
  for (auto &[name, label] : labels_) {
    const bool by_turn = name == "device-motion" || name == "device-tamper";
    const bool heard = shown && !(turning && by_turn);
    const bool lasts = heard && !label.active.empty();
    const bool begins = heard && (lasts || label.moment) && !label.begun;
    label.moment = false;
    if (begins && may_begin(now)) {
      // An input may stay on for days, and a covered camera covered: the clip shows the beginning.
      EventCause cause{name, now, 1};
      cause.beginning_only = name == "device-input" || name == "device-tamper";
      cause.of_camera = name == "device-tamper";
      events_.begin(cause);
      label.begun = true;
    }
    if (label.begun && !lasts) {
      events_.end(name, now);
      label.begun = false;
    }
  }
}

void DeviceEvents::away(double now) {
  for (auto &[name, label] : labels_)
    if (label.begun) events_.end(name, now);
  labels_.clear();
}

void DeviceEvents::connection_ends() {
  for (auto &[name, label] : labels_) label.begun = false;
}

} // namespace vigil::monitor
