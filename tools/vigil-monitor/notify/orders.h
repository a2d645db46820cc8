// SPDX-License-Identifier: LGPL-2.1-or-later
// Orders of the broker on their way to the cameras. Of a switch that is ordered again and again the last
// order counts, once a second: a client that floods the topic costs no more than that.
#pragma once

#include "topics.h"

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace vigil::monitor {

class Orders { // for one thread
 public:
  static constexpr std::size_t most_switches = 1024;
  static constexpr double pause = 1; // seconds between two orders to a switch

  // False when orders of so many switches were given that this one is left out.
  bool put(const Command &c) {
    const Switch key{c.camera, c.name};
    if (!waiting_.count(key) && waiting_.size() >= most_switches) return false;
    waiting_[key] = c.on;
    return true;
  }
  // Those whose turn it is; `now` is in seconds.
  std::vector<Command> due(double now) {
    std::vector<Command> out;
    std::erase_if(given_, [&](const auto &g) { return now - g.second >= pause; });
    std::erase_if(waiting_, [&](const auto &w) {
      const auto &[key, on] = w;
      if (given_.count(key) || given_.size() >= most_switches) return false;
      given_[key] = now;
      out.push_back({key.first, key.second, on});
      return true;
    });
    return out;
  }

 private:
  using Switch = std::pair<std::string, std::string>; // camera, name
  std::map<Switch, bool> waiting_;
  std::map<Switch, double> given_; // when
};

} // namespace vigil::monitor
