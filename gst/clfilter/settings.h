// SPDX-License-Identifier: LGPL-2.1-or-later
// Everything that can be set at a clfilter, but what all OpenCL elements have.
#pragma once

#include "gst/transform/opencl_tuning.h"

#include <mutex>
#include <string>

namespace vigil::gst::clfilter {

struct Settings {
  std::string chain;
  tuning::Mode tune = tuning::Mode::automatic;
};

inline const Properties<Settings> &properties() {
  static const Properties<Settings> made = [] {
    Properties<Settings> p;
    p.string("chain", "Chain",
             "Stages and their parameters, e.g. gaussian sigma=2 ! grayscale ! sharpen amount=0.5; none: "
             "frames pass by. New "
             "numbers take effect with the next frame, new stages when their kernel is built",
             &Settings::chain, Change::live);
    add_tune(p, &Settings::tune);
    return p;
  }();
  return made;
}

// The settings, as the threads that set them and the one that streams share them.
class SharedSettings {
 public:
  Settings snapshot() const {
    const std::lock_guard lock(mutex_);
    return settings_;
  }
  template <class Change>
  auto change(Change change) {
    const std::lock_guard lock(mutex_);
    return change(settings_);
  }

 private:
  mutable std::mutex mutex_; // held for moments, by any thread
  Settings settings_;
};

} // namespace vigil::gst::clfilter
