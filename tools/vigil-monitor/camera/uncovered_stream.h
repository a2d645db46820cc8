// SPDX-License-Identifier: LGPL-2.1-or-later
// A camera's compressed stream without what privacy covers: for viewers of the roles that may see it, from
// the last key frame on. Nothing else takes it, and nothing keeps it. For the main thread.
#pragma once

#include "../config/config.h"
#include "camera_services.h"
#include "recorder.h"
#include "stream_pipeline.h"

#include <atomic>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace vigil::monitor {

class UncoveredStream {
 public:
  // The configuration is the camera's, which may change.
  UncoveredStream(const CameraConfig &config, std::shared_ptr<CameraServices> services)
      : config_(config), services_(std::move(services)) {}

  void connection_begins();
  void connect(StreamEvents &) const; // to this stream, from streaming threads; after its sound is set
  void reset() {                      // no stream comes from now on
    if (recorder_) recorder_->reset();
  }

  const std::shared_ptr<Recorder> &recorder() const { return recorder_; }  // null: no role may see it
  std::size_t bytes() const { return recorder_ ? recorder_->bytes() : 0; } // in memory
  // The camera sends neither H.264 nor H.265: its pictures are uncovered as tiles alone.
  bool missing() const { return *missing_; }

 private:
  const CameraConfig &config_;
  const std::shared_ptr<CameraServices> services_;
  std::shared_ptr<Recorder> recorder_;
  std::shared_ptr<std::atomic<bool>> missing_ = std::make_shared<std::atomic<bool>>(false);
};

inline void UncoveredStream::connection_begins() {
  missing_ = std::make_shared<std::atomic<bool>>(false);
  recorder_.reset();
  if (!config_.privacy.shows_uncovered()) return;
  RecorderNews none; // no clip is written from it
  none.finished = [](const std::string &, const ClipResult &) {};
  none.broke_off = [](const std::vector<std::string> &) {};
  none.warning = [](const std::string &) {};
  recorder_ = std::make_shared<Recorder>(0, services_->clips(), std::move(none));
}

inline void UncoveredStream::connect(StreamEvents &e) const {
  if (!recorder_) return;
  e.uncovered_caps = [r = recorder_](GstCaps *caps) { r->caps(caps); };
  e.uncovered_frame = [r = recorder_](GstBuffer *b, double time) { r->frame(b, time); };
  e.uncovered_missing = [missing = missing_] { *missing = true; };
  if (e.sound)
    e.sound = [r = recorder_, others = std::move(e.sound)](SoundForm form, GstCaps *caps, GstBuffer *b,
                                                           double time) {
      others(form, caps, b, time);
      r->sound(form, caps, b, time);
    };
}

} // namespace vigil::monitor
