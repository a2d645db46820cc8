// SPDX-License-Identifier: LGPL-2.1-or-later
// Who may look for ONVIF devices at the same time, so that nobody makes this program a load for a network.
#pragma once

#include "device.h"
#include "discovery.h"

#include <atomic>
#include <mutex>
#include <optional>
#include <string>

namespace vigil::monitor {

class DeviceSearches {
 public:
  // Nothing: another search is under way. On any thread, as all here; waits for the search.
  std::optional<FoundDevices> search() {
    const std::unique_lock guard(searching_, std::try_to_lock);
    return guard ? std::optional(search_devices(ended_)) : std::nullopt;
  }
  // The same for one device. Nothing: too many are being asked.
  std::optional<OnvifDevice> look(const std::string &address, const OnvifLogin &login,
                                  const std::optional<ProfileChoice> &wanted) {
    const Place place(looks_);
    return place.number <= most_looks ? std::optional(read_device(address, login, wanted, ended_))
                                      : std::nullopt;
  }
  void end() { ended_ = true; }

 private:
  static constexpr int most_looks = 4;
  struct Place {
    explicit Place(std::atomic<int> &all) : all_(all), number(++all) {}
    ~Place() { all_--; }
    Place(const Place &) = delete;
    Place &operator=(const Place &) = delete;
    std::atomic<int> &all_;
    const int number;
  };
  std::mutex searching_;
  std::atomic<int> looks_ = 0;
  std::atomic<bool> ended_ = false;
};

} // namespace vigil::monitor
