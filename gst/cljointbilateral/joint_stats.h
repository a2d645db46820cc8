// SPDX-License-Identifier: LGPL-2.1-or-later
// The values of the property `stats` of cljointbilateral. On any thread; the lock is held for moments.
#pragma once

#include "gst/memory/frame_mapping.h"
#include "gst/transform/opencl_tuning.h"

#include <cstdint>
#include <mutex>
#include <string>

namespace vigil::gst::cljointbilateral {

class JointStats {
 public:
  void set_device(const std::string &name) {
    const std::lock_guard lock(mutex_);
    device_ = name;
  }
  void set_tuning(const std::string &variant, const tuning::Result &result) { tuning_.set(variant, result); }
  void restart() {
    const std::lock_guard lock(mutex_);
    counts_ = {};
  }
  // One more picture: the time of its kernels by the device's clock, and all that was copied so far.
  void count(bool guided, double ms, const ByteCounts &copied) {
    const std::lock_guard lock(mutex_);
    counts_.frames++;
    counts_.guided += guided;
    counts_.kernel_ms += ms;
    counts_.kernel_last_ms = ms;
    counts_.copied = copied;
  }
  GstStructure *structure() const {
    GstStructure *s = nullptr;
    {
      const std::lock_guard lock(mutex_);
      const double mean_ms = counts_.frames ? counts_.kernel_ms / double(counts_.frames) : 0;
      s = gst_structure_new("stats", "frames", G_TYPE_UINT64, guint64(counts_.frames), "guided",
                            G_TYPE_UINT64, guint64(counts_.guided), "kernel-time-us", G_TYPE_DOUBLE,
                            mean_ms * 1000, "kernel-time-last-us", G_TYPE_DOUBLE,
                            counts_.kernel_last_ms * 1000, "bytes-host-to-device", G_TYPE_UINT64,
                            guint64(counts_.copied.to_device), "bytes-device-to-host", G_TYPE_UINT64,
                            guint64(counts_.copied.to_host), "backend", G_TYPE_STRING,
                            name_of(Backend::opencl), "device", G_TYPE_STRING, device_.c_str(), nullptr);
    }
    tuning_.add(s);
    return s;
  }

 private:
  struct Counts {
    std::uint64_t frames = 0, guided = 0;
    double kernel_ms = 0, kernel_last_ms = 0;
    ByteCounts copied;
  };

  mutable std::mutex mutex_;
  Counts counts_;
  std::string device_;
  TuningStats tuning_;
};

} // namespace vigil::gst::cljointbilateral
