// SPDX-License-Identifier: LGPL-2.1-or-later
// The stream that is looked at, and recorded where the camera has no other one for that (record_stream.h): it
// comes and goes by itself. For the main thread.
#pragma once

#include "../config/config.h"
#include "../http/hub.h"
#include "camera_pipeline.h"
#include "camera_services.h"
#include "camera_state.h"
#include "connection.h"
#include "feed.h"
#include "gst/video/gst_ptr.h"
#include "key_picture_feed.h"
#include "mask_file.h"
#include "recorder.h"
#include "stored_stream.h"
#include "stream_keeper.h"
#include "uncovered_stream.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace vigil::monitor {

class DetectStream {
 public:
  struct Calls { // to the camera, on the main thread
    std::function<RecorderNews()> news;
    std::function<PipelineEvents()> events; // what the camera wants to know of the pipeline
    std::function<void()> begins, ends;     // a connection
    std::function<void()> built;            // a pipeline, which does not play yet
    std::function<void(const std::string &)> warn, log;
    std::function<std::function<void(const std::string &)>()> warn_soon; // gives one for any thread
  };
  // The configuration is the camera's, which may change.
  DetectStream(const CameraConfig &, std::shared_ptr<CameraServices>, std::shared_ptr<CameraFeed>,
               StoredStream &, Calls);

  void start();
  void take_down();
  void stopped(const std::string &why);          // after take_down()
  void renew(bool same_place);                   // the next start() is as the first one
  void tick() { keeper_.tick(config_.enabled); } // once a second
  void clock_set(double change) { state_.clock_set(change); }
  void demand(Hub::Demand);
  void set_masks() { masks_->set(config_.masks); } // as they are configured now

  CameraPipeline *pipeline() const { return connection_.pipeline(); } // null: there is none
  GstElement *element(const char *name) const { return pipeline() ? pipeline()->element(name) : nullptr; }
  // The compressed stream as it comes. Null before the first start.
  std::shared_ptr<Recorder> recorder() const { return live_ ? live_ : stored_.recorder(); }
  const UncoveredStream &uncovered() const { return uncovered_; }
  // In memory, of streams that are for viewers alone.
  std::size_t viewers_bytes() const { return (live_ ? live_->bytes() : 0) + uncovered_.bytes(); }
  const CameraState &state() const { return state_; }
  const ConnectionBy<CameraPipeline> &connection() const { return connection_; }
  std::uint64_t key_frames_decoded() const { return key_pictures_.decoded(); }

 private:
  void build();
  PipelineEvents pipeline_events();
  std::string model_file(); // where the model is kept; empty: nowhere
  std::shared_ptr<const void> models_gone() const;

  const CameraConfig &config_;
  const std::shared_ptr<CameraServices> services_;
  const std::shared_ptr<CameraFeed> feed_;
  StoredStream &stored_;
  const Calls calls_;
  std::shared_ptr<MaskFile> masks_;
  ConnectionBy<CameraPipeline> connection_;
  CameraState state_;
  StreamKeeper keeper_;
  std::shared_ptr<Recorder> live_; // for viewers, where another stream is recorded; else null
  UncoveredStream uncovered_;
  // What tracklabel learnt of the place, for the next connection.
  gst::StructurePtr place_;
  std::shared_ptr<Detector> detector_; // of all connections; null: there is none
  KeyPictureFeed key_pictures_;
  Hub::Demand demand_;
};

} // namespace vigil::monitor
