// SPDX-License-Identifier: LGPL-2.1-or-later
#include "failures.h"

#include <algorithm>
#include <functional>

namespace vigil::monitor {

Failures::Verdict Failures::count(const std::string &network, double now, const std::string &repeated) {
  const std::lock_guard guard(lock_);
  if (networks_.size() >= most_networks && !networks_.count(network)) {
    std::erase_if(networks_, [&](const auto &n) { return n.second.tries.back().first < now - seconds_; });
    if (networks_.size() >= most_networks)
      networks_.erase(std::min_element(networks_.begin(), networks_.end(), [](const auto &a, const auto &b) {
        return a.second.tries.back().first < b.second.tries.back().first;
      }));
  }
  Of &of = networks_[network];
  std::erase_if(of.tries, [&](const auto &t) { return now - t.first > seconds_; });
  const std::size_t hash = repeated.empty() ? 0 : std::hash<std::string>()(repeated) | 1;
  if (hash)
    for (const auto &t : of.tries)
      if (t.second == hash) return {};
  total_++;
  Verdict v;
  v.too_many = of.tries.size() >= most_tries;
  if (v.too_many) of.tries.erase(of.tries.begin());
  of.tries.emplace_back(now, hash);
  v.announce = now - of.logged >= minute;
  if (v.announce) of.logged = now;
  return v;
}

bool Failures::too_many(const std::string &network, double now) const {
  const std::lock_guard guard(lock_);
  const auto of = networks_.find(network);
  if (of == networks_.end()) return false;
  const auto &tries = of->second.tries;
  return std::count_if(tries.begin(), tries.end(), [&](const auto &t) {
           return now - t.first <= seconds_;
         }) >= static_cast<std::ptrdiff_t>(most_tries);
}

std::uint64_t Failures::total() const {
  const std::lock_guard guard(lock_);
  return total_;
}

} // namespace vigil::monitor
