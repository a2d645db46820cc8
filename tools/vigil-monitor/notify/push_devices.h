// SPDX-License-Identifier: LGPL-2.1-or-later
// The browsers and phones that get messages by web push: a copy of their rows in memory. On any thread; the
// lock is held while a row is written, so that both change together.
#pragma once

#include "../store/push_store.h"
#include "push_settings.h"

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace vigil::monitor {

struct PushDevice {
  StoredDevice stored;
  PushSettings settings;
};

class PushDevices {
 public:
  static constexpr std::size_t most_of_one = 20, most = 512;
  using Device = std::shared_ptr<const PushDevice>;

  PushDevices(PushStore &, const std::function<void(const std::string &)> &log);

  std::vector<Device> all() const; // the oldest first
  Device find(const std::string &id) const;

  // Stored when they return. One of the same endpoint is replaced. Throws Error::bad_data on a subscription
  // that is none, Error::bad_setting when there are too many.
  Device add(StoredDevice, const PushSettings &);
  Device change(const std::string &id, const PushSettings &); // null: it is gone
  bool remove(const std::string &id);                         // false: it was gone
  // What became of a message. Its settings may have changed meanwhile, and stay.
  void set_result(const Device &, bool taken, const std::string &problem);
  // False: a message for a test was sent to it a moment ago.
  bool may_test(const std::string &id);

 private:
  PushStore &store_;
  mutable std::mutex lock_;
  std::vector<Device> all_;
  std::map<std::string, double> tested_; // by device: when; monotonic
};

} // namespace vigil::monitor
