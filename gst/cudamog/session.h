// SPDX-License-Identifier: LGPL-2.1-or-later
// What lasts from the element's start to its stop, while processors come and go with their device. The
// element owns it, and a processor reports to it: so neither has to know the other's inside.
#pragma once

#include "common/error.h"
#include "gst/cudamog/publisher.h"
#include "gst/cudamog/settings.h"
#include "gst/cudamog/stage_times.h"
#include "gst/shared_settings.h"
#include "kernels/tamper/tamper_detector.h"

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

namespace vigil::gst::cudamog {

// For the property stats, which any thread reads without waiting for the work.
class LiveStats {
 public:
  std::atomic<std::uint64_t> model_frames = 0;          // learnt by the model
  std::atomic<std::optional<mog::Precision>> precision; // of the model; none before there is one

  // Of the frame that finished last.
  void set(const Report &, std::span<const StageTime>);
  void clear();
  void add_to(GstStructure *) const;

 private:
  mutable std::mutex mutex_; // held for moments; guards what follows
  Report report_;
  std::vector<StageTime> times_; // empty: not measured
};

struct Session {
  Session(GstElement *element, const SharedSettings<Settings> &s) : settings(s), publisher(element) {}
  void start() {
    stats.clear();
    publisher.start();
    tamper_detector = {};
    lost.reset();
  }

  const SharedSettings<Settings> &settings;
  LiveStats stats;
  Publisher publisher;                    // the streaming thread's own
  tamper::TamperDetector tamper_detector; // under the work lock
  std::optional<Error> lost;              // a model; to be posted; under the work lock
  Output last_output{};                   // of the frame that came last; the streaming thread's own
};

} // namespace vigil::gst::cudamog
