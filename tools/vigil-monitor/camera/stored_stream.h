// SPDX-License-Identifier: LGPL-2.1-or-later
// A camera's compressed stream as it is kept: its last seconds in memory, the clips of events, and the
// continuous recording.
#pragma once

#include "../config/config.h"
#include "../recording/recording.h"
#include "../store/outage.h"
#include "camera_services.h"
#include "event_clips.h"
#include "recorder.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace vigil::monitor {

struct StreamEvents;

// For the main thread.
class StoredStream final : public EventClips {
 public:
  // The configuration is the camera's, which may change.
  StoredStream(const CameraConfig &, std::shared_ptr<CameraServices>);

  void record_all() { recording_->begin(); }
  // The stream's times less those of the stream that is looked at, in seconds, where these are two. A part of
  // a second is left as it is.
  void align(double offset);
  double offset() const { return *offset_; }
  void stop_recording(const char *why);
  void connection_begins(RecorderNews); // its clips begin with nothing in memory
  void connect(StreamEvents &) const;   // to this stream, from streaming threads
  void reset();                         // no stream comes from now on; clips end here
  void broke_off(const char *why);
  // This part of the recording is to be the event's clip, as soon as it is on the disk.
  void part_over(const std::string &event, const ClipSpan &);
  void clock_set() { recording_->clock_set(); }
  void tick(); // once a second

  Kind begin_clip(const std::string &event, const std::string &path, double time, double utc) override;
  void end_clip(const std::string &event, double time) override;

  const std::shared_ptr<Recorder> &recorder() const { return recorder_; } // null before the first connection
  const Recording &recording() const { return *recording_; }
  std::uint64_t previews_decoded() const { return previews_->decoded(); }
  bool writes_clips() const { return recorder_ && recorder_->recording(); }

 private:
  struct Part {
    std::string event;
    ClipSpan span;
    double since; // monotonic
  };
  void tell_losses();
  void finish_parts(bool all);

  const CameraConfig &config_;
  const std::shared_ptr<CameraServices> services_;
  const std::shared_ptr<std::atomic<double>> offset_ = std::make_shared<std::atomic<double>>(0);
  const std::shared_ptr<PreviewMaker> previews_;
  const std::shared_ptr<Recording> recording_;
  std::shared_ptr<Recorder> recorder_;
  std::function<void(const std::string &event, const ClipResult &)> finished_;
  std::vector<Part> parts_; // that are not on the disk yet
  Outage slow_disk_;
  double kept_more_ = 0;          // seconds in memory before an event, beyond what the configuration says
  std::uint64_t frames_lost_ = 0; // of clips, as the log says
  bool wrote_clips_ = false;      // a second ago
};

} // namespace vigil::monitor
