// SPDX-License-Identifier: LGPL-2.1-or-later
// When the next message to a device is due: events of a few seconds go together, a device has its shortest
// interval, and a service that does not answer is asked less and less often. For one thread; times are
// monotonic.
#pragma once

#include "push_devices.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

namespace vigil::monitor {

class PushSchedule {
 public:
  static constexpr double gather_seconds = 3; // the pictures of events are made meanwhile, too
  static constexpr double least_wait = 2, longest_wait = 600; // seconds between two tries at a service
  static constexpr int most_tries = 12;                       // of one message

  // The device has letters at `now`.
  double due(const PushDevice &d, const std::string &service, double now) {
    Delivery &of = deliveries_[d.stored.id];
    if (of.noticed == 0) of.noticed = now;
    return std::max({of.noticed + gather_seconds, of.sent == 0 ? 0 : of.sent + d.settings.min_interval,
                     services_[service].next});
  }
  void taken(const std::string &id, const std::string &service, double now) {
    services_[service] = {};
    deliveries_[id].sent = now;
  }
  // There are no letters any more.
  void done(const std::string &id) {
    const auto of = deliveries_.find(id);
    if (of != deliveries_.end()) of->second.noticed = 0, of->second.tries = 0;
  }
  bool fails(const std::string &service) { return services_[service].wait > 0; }
  // The service did not take a message. When to try again; 0: it was tried often enough.
  double postpone(const std::string &id, const std::string &service, double retry_after, double now) {
    Service &s = services_[service];
    s.wait = std::clamp(2 * s.wait, least_wait, longest_wait);
    s.next = now + std::max(s.wait, retry_after);
    return ++deliveries_[id].tries < most_tries ? s.next : 0;
  }
  void keep_only(const std::vector<PushDevices::Device> &devices) {
    std::erase_if(deliveries_, [&](const auto &one) {
      return std::none_of(devices.begin(), devices.end(),
                          [&](const auto &d) { return d->stored.id == one.first; });
    });
  }

 private:
  struct Service { // a push service, by its origin
    double wait = 0, next = 0;
  };
  struct Delivery {               // by device
    double noticed = 0, sent = 0; // its first letter was seen; the last message
    int tries = 0;
  };
  std::map<std::string, Service> services_;
  std::map<std::string, Delivery> deliveries_;
};

} // namespace vigil::monitor
