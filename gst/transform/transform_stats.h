// SPDX-License-Identifier: LGPL-2.1-or-later
// What the property `stats` reports of the work: copied after each frame, so reading it waits for no work.
// On any thread; the lock is held for moments, and nothing is called under it.
#pragma once

#include "gst/transform/frames_in_flight.h"

#include <mutex>
#include <string>

namespace vigil::gst {

class TransformStats {
 public:
  void restart() { count({}); }
  void count(const Counts &now) {
    const std::lock_guard lock(lock_);
    counts_ = now;
  }
  Counts counts() const {
    const std::lock_guard lock(lock_);
    return counts_;
  }
  void set_device(const Device &);
  GstStructure *structure() const;

 private:
  mutable std::mutex lock_;
  Counts counts_;
  std::string backend_, device_;
};

} // namespace vigil::gst
