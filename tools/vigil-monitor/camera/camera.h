// SPDX-License-Identifier: LGPL-2.1-or-later
// One camera: the owner of its connection, its stored stream and its events. All methods belong to the main
// thread.
#pragma once

#include "../config/config.h"
#include "../http/hub.h"
#include "activity_report.h"
#include "camera_services.h"
#include "camera_state.h"
#include "connection.h"
#include "event_causes.h"
#include "event_tracker.h"
#include "feed.h"
#include "key_pictures.h"
#include "mask_file.h"
#include "onvif_link.h"
#include "pipeline.h"
#include "record_stream.h"
#include "rule_counts.h"
#include "said_once.h"
#include "stored_stream.h"
#include "talk_back.h"
#include "tools/base/gst_ptr.h"
#include "track_labels.h"

#include <atomic>
#include <cstdint>
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
  CameraPipeline *pipeline() const { return connection_.pipeline(); }
  std::shared_ptr<CameraFeed> feed() const { return feed_; }
  // The compressed stream as it comes: the one that is recorded, or that is looked at. Null before the first
  // start.
  std::shared_ptr<Recorder> recorder() const { return stored_.recorder(); }
  std::shared_ptr<Recorder> detect_stream() const { return detect_stream_ ? detect_stream_ : recorder(); }
  const std::shared_ptr<OnvifLink> &onvif() const { return onvif_; }
  const std::shared_ptr<TalkBack> &talk_back() const { return talk_back_; }
  // Clips of events that have ended are on their way to the disk: this object is needed until they are there.
  bool awaits_clips() const { return events_.awaits_clips(); }

 private:
  template <class F>
  auto on_main(F f); // a function for any thread, which calls f(Camera &, arguments) on the main one
  RecorderNews recorder_news();
  PipelineEvents pipeline_events();
  void build(); // the connection to the stream that is looked at
  std::shared_ptr<const void> models_gone() const;
  void disconnect();
  void take_down();                   // all connections
  void teach();                       // tracklabel, what people have named
  void warn(const std::string &text); // once for each text
  void log(const std::string &text) const { services_->log(config_.name + ": " + text); }
  // Sets what may change while playing; true when the camera must restart for the rest.
  bool needs_restart(const CameraConfig &next);
  bool set_elements(const ElementSettings &next);
  CameraDescription description() const;
  void show_key_frames(PipelineEvents &); // of the stream that is looked at

  CameraConfig config_;
  const std::shared_ptr<CameraServices> services_;
  const std::shared_ptr<CameraFeed> feed_;
  std::shared_ptr<MaskFile> masks_;
  StoredStream stored_;
  ConnectionBy<CameraPipeline> connection_;
  CameraState state_;
  StreamKeeper keeper_;
  RecordStream record_; // where another stream is recorded
  // The stream that is looked at, for viewers, where another one is recorded; else null.
  std::shared_ptr<Recorder> detect_stream_;
  std::shared_ptr<Detector> detector_; // of all connections; null: there is none
  // What tracklabel learnt of the place, for the next connection.
  std::unique_ptr<GstStructure, tools::Releaser<gst_structure_free>> place_;
  RuleCounts counts_;
  TrackLabels labels_;
  EventTracker events_;
  EventCauses causes_;
  const std::shared_ptr<OnvifLink> onvif_;
  const std::shared_ptr<TalkBack> talk_back_;
  ActivityReport report_;
  SaidOnce warned_;
  std::shared_ptr<KeyPictures> key_pictures_; // of this connection; null: the camera is analysed
  std::uint64_t key_frames_decoded_ = 0;      // of those before
  const std::shared_ptr<std::atomic<int>> shown_height_ = std::make_shared<std::atomic<int>>(0);
  Hub::Demand demand_;
};

} // namespace vigil::monitor
