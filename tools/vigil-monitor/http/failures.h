// SPDX-License-Identifier: LGPL-2.1-or-later
// Wrong tokens, counted by where they come from. A right token is never asked about here: it always passes.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace vigil::monitor {

class Failures {
 public:
  struct Verdict {
    bool too_many = false; // more than ten in a minute from there
    bool announce = false; // the first of a minute from there: worth a line in the log
  };
  // `network`: an IPv4 address, or the first half of one of IPv6 (Request::network). `repeated`: what a
  // browser sends again with each request, an old cookie; the same one counts once a minute.
  Verdict count(const std::string &network, double now, const std::string &repeated = "");
  std::uint64_t total() const;

 private:
  static constexpr std::size_t most_a_minute = 10, most_networks = 4096;
  static constexpr double minute = 60;
  struct Of {
    std::vector<std::pair<double, std::size_t>>
        tries; // of the last minute, most_a_minute at most: when, hash
    double logged = -minute;
  };
  mutable std::mutex lock_;
  std::map<std::string, Of> networks_;
  std::uint64_t total_ = 0;
};

} // namespace vigil::monitor
