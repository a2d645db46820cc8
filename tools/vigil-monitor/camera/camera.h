// SPDX-License-Identifier: LGPL-2.1-or-later
// One camera: the owner of its streams, of what is stored of them, and of its events. All methods belong to
// the main thread.
#pragma once

#include "../config/config.h"
#include "../http/hub.h"
#include "activity_report.h"
#include "camera_pipeline.h"
#include "camera_services.h"
#include "detect_stream.h"
#include "event_causes.h"
#include "event_tracker.h"
#include "feed.h"
#include "onvif_link.h"
#include "record_stream.h"
#include "rule_counts.h"
#include "said_once.h"
#include "stored_stream.h"
#include "talk_back.h"
#include "track_labels.h"

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace vigil::monitor {

struct CameraDescription;

class Camera : public std::enable_shared_from_this<Camera> {
 public:
  Camera(CameraConfig, std::shared_ptr<CameraServices>);
  ~Camera();

  void start();
  void stop(const std::string &why); // finishes what goes on
  void tick();                       // once a second
  void clock_set(double change);     // the system's clock was set by so many seconds

  const CameraConfig &config() const { return config_; }
  // Takes over a configuration; the camera restarts only when it must.
  void change(CameraConfig);
  void demand(Hub::Demand);
  // Examples of labels were added or removed; these are the names that have some of this camera.
  void learnt(const std::vector<std::string> &labels);
  nlohmann::json describe(const std::vector<std::string> &overridden) const;
  nlohmann::json stats() const;
  CameraPipeline *pipeline() const { return detect_.pipeline(); }
  std::shared_ptr<CameraFeed> feed() const { return feed_; }
  // The compressed stream as it comes: the one that is recorded, or that is looked at. Null before the first
  // start.
  std::shared_ptr<Recorder> recorder() const { return stored_.recorder(); }
  std::shared_ptr<Recorder> detect_stream() const { return detect_.recorder(); }
  // The one or the other without what privacy covers.
  const UncoveredStream &uncovered(bool recorded) const {
    return recorded && config_.records_apart() ? record_.uncovered() : detect_.uncovered();
  }
  const std::shared_ptr<OnvifLink> &onvif() const { return onvif_; }
  const std::shared_ptr<TalkBack> &talk_back() const { return talk_back_; }
  // Clips of events that have ended are on their way to the disk: this object is needed until they are there.
  bool awaits_clips() const { return events_.awaits_clips(); }

 private:
  template <class F>
  auto on_main(F f); // a function for any thread, which calls f(Camera &, arguments) on the main one
  RecorderNews recorder_news();
  PipelineEvents pipeline_events();
  DetectStream::Calls detect_calls();
  void take_down();                   // all connections
  void teach();                       // tracklabel, what people have named
  void warn(const std::string &text); // once for each text
  void log(const std::string &text) const { services_->log(config_.name + ": " + text); }
  // Sets what may change while playing; true when the camera must restart for the rest.
  bool needs_restart(const CameraConfig &next);
  bool set_elements(const ElementSettings &next);
  CameraDescription description() const;

  CameraConfig config_;
  const std::shared_ptr<CameraServices> services_;
  const std::shared_ptr<CameraFeed> feed_;
  StoredStream stored_;
  DetectStream detect_;
  RecordStream record_; // where another stream is recorded
  RuleCounts counts_;
  TrackLabels labels_;
  EventTracker events_;
  EventCauses causes_;
  const std::shared_ptr<OnvifLink> onvif_;
  const std::shared_ptr<TalkBack> talk_back_;
  ActivityReport report_;
  SaidOnce warned_;
};

} // namespace vigil::monitor
