// SPDX-License-Identifier: LGPL-2.1-or-later
// The rules as they were set last, for any thread: properties and action signals change them, the streaming
// thread takes each change once.
#pragma once

#include "kernels/rules/rules.h"

#include <mutex>
#include <optional>
#include <string>
#include <utility>

namespace vigil::gst::boxrules {

class WantedRules {
 public:
  // Runs change(rules) on a copy, which then takes the place of the rules. An exception of it leaves them as
  // they were, and goes on to the caller.
  template <class Fn>
  void change(Fn &&change) {
    const std::lock_guard lock(mutex_);
    rules::Rules changed = rules_;
    change(changed);
    rules_ = std::move(changed);
    version_++;
  }
  void reset_totals() {
    const std::lock_guard lock(mutex_);
    reset_totals_ = true;
  }
  std::string text() const {
    const std::lock_guard lock(mutex_);
    return rules::to_text(rules_);
  }

  struct Update {
    std::optional<rules::Rules> rules; // empty: the same as before
    unsigned version = 0;              // counts how often they changed
    bool reset_totals = false;
  };
  // For the streaming thread. With `again` it gets the rules also when they are the same as before.
  Update take(bool again) {
    const std::lock_guard lock(mutex_);
    Update u{std::nullopt, version_, std::exchange(reset_totals_, false)};
    if (again || version_ != taken_) u.rules = rules_;
    taken_ = version_;
    return u;
  }
  // The stream begins again: the next take() gets the rules.
  void restart() {
    const std::lock_guard lock(mutex_);
    taken_ = 0;
  }

 private:
  mutable std::mutex mutex_; // held for moments
  rules::Rules rules_;
  unsigned version_ = 1, taken_ = 0;
  bool reset_totals_ = false;
};

} // namespace vigil::gst::boxrules
