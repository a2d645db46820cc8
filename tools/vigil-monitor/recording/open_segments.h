// SPDX-License-Identifier: LGPL-2.1-or-later
// The segments that the database does not have whole yet: those being written, and those whose row the disk
// has not taken. All methods may be called from any thread.
#pragma once

#include "segment.h"

#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace vigil::monitor {

class OpenSegments {
 public:
  void put(const Segment &s) {
    const std::lock_guard guard(lock_);
    all_[s.id] = s;
  }
  void grew(const std::string &id, const Fragment &f, std::int64_t duration, std::int64_t bytes) {
    const std::lock_guard guard(lock_);
    const auto s = all_.find(id);
    if (s == all_.end()) return;
    s->second.fragments.push_back(f);
    s->second.duration = duration;
    s->second.bytes = bytes;
  }
  void remove(const std::string &id) {
    const std::lock_guard guard(lock_);
    all_.erase(id);
  }
  std::vector<Segment> of(const std::string &camera, std::int64_t from, std::int64_t to) const {
    const std::lock_guard guard(lock_);
    std::vector<Segment> out;
    for (const auto &[id, s] : all_)
      if (s.camera == camera && s.start < to && s.end() > from && !s.fragments.empty()) out.push_back(s);
    return out;
  }
  std::int64_t bytes() const {
    const std::lock_guard guard(lock_);
    std::int64_t sum = 0;
    for (const auto &[id, s] : all_) sum += s.bytes;
    return sum;
  }

 private:
  mutable std::mutex lock_;
  std::map<std::string, Segment> all_;
};

} // namespace vigil::monitor
