// SPDX-License-Identifier: LGPL-2.1-or-later
// An element's settings, shared by the threads that set properties and the one that streams.
#pragma once

#include <mutex>

namespace vigil::gst {

template <class S>
class SharedSettings {
 public:
  S snapshot() const {
    const std::lock_guard lock(mutex_);
    return settings_;
  }
  // Runs fn(settings) and returns what it returns.
  template <class Fn>
  auto change(Fn fn) {
    const std::lock_guard lock(mutex_);
    return fn(settings_);
  }
  template <class Fn>
  auto read(Fn fn) const {
    const std::lock_guard lock(mutex_);
    return fn(settings_);
  }

 private:
  mutable std::mutex mutex_; // held for moments, by any thread
  S settings_;
};

} // namespace vigil::gst
