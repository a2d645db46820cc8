// SPDX-License-Identifier: LGPL-2.1-or-later
// Who looks at a picture without what covers it: whether a look is a new view, which the audit log names.
#pragma once

#include <map>
#include <mutex>
#include <string>

namespace vigil::monitor {

class UncoveredViews {
 public:
  static constexpr double pause = 10; // seconds; a look after a longer one is another view
  // `now`: by the monotonic clock. `who` with the camera.
  bool begins(const std::string &who, double now) {
    const std::lock_guard guard(lock_);
    std::erase_if(last_, [&](const auto &l) { return now - l.second > pause; });
    const bool known = last_.count(who) != 0;
    if (known || last_.size() < most) last_[who] = now;
    return !known;
  }

 private:
  static constexpr std::size_t most = 4096; // beyond them each look is a view
  std::mutex lock_;
  std::map<std::string, double> last_;
};

} // namespace vigil::monitor
