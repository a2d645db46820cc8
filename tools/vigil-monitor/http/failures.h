// SPDX-License-Identifier: LGPL-2.1-or-later
// Wrong tokens or passwords, counted by where they come from, or by the name of the user that was guessed at. A
// right token is never asked about here: it always passes.
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
  explicit Failures(double seconds = 60) : seconds_(seconds) {} // in which they count together
  struct Verdict {
    bool too_many = false; // more than ten within that time from there
    bool announce = false; // the first of a minute from there: worth a line in the log
  };
  // `network`: an IPv4 address, or the first half of one of IPv6 (Request::network). `repeated`: what a
  // browser sends again with each request, an old cookie; the same one counts once a minute.
  Verdict count(const std::string &network, double now, const std::string &repeated = "");
  bool too_many(const std::string &network, double now) const; // whether one more would be; counts nothing
  std::uint64_t total() const;

 private:
  static constexpr std::size_t most_tries = 10, most_networks = 4096;
  static constexpr double minute = 60;
  struct Of {
    std::vector<std::pair<double, std::size_t>> tries; // of the last seconds_, most_tries at most: when, hash
    double logged = -minute;
  };
  const double seconds_;
  mutable std::mutex lock_;
  std::map<std::string, Of> networks_;
  std::uint64_t total_ = 0;
};

} // namespace vigil::monitor
