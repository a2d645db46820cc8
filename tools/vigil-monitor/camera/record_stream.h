// SPDX-License-Identifier: LGPL-2.1-or-later
// The stream that is recorded, where the camera has another one that is looked at: it comes and goes by
// itself. For the main thread.
#pragma once

#include "camera_services.h"
#include "camera_state.h"
#include "connection.h"
#include "record_pipeline.h"
#include "stored_stream.h"
#include "stream_keeper.h"
#include "uncovered_stream.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace vigil::monitor {

class RecordStream {
 public:
  struct Calls { // to the camera, on the main thread
    std::function<RecorderNews()> news;
    std::function<void(const std::string &)> warn, log;
  };
  // The configuration is the camera's, which may change.
  RecordStream(const CameraConfig &, std::shared_ptr<CameraServices>, StoredStream &, Calls);
  ~RecordStream();

  void start();
  void stop(const std::string &why); // finishes what goes on
  void take_down();
  void renew();                       // the next start() is as the first one
  void tick() { keeper_.tick(true); } // once a second
  void clock_set(double change) { state_.clock_set(change); }
  std::optional<double> sender_lag() const { return connection_.sender_lag(); }
  std::uint64_t decoded() const { return connection_.decoded(); }
  const UncoveredStream &uncovered() const { return uncovered_; }
  nlohmann::json describe() const;

 private:
  void build();

  const CameraConfig &config_;
  const std::shared_ptr<CameraServices> services_;
  StoredStream &stored_;
  const Calls calls_;
  ConnectionBy<RecordPipeline> connection_;
  CameraState state_;
  StreamKeeper keeper_;
  UncoveredStream uncovered_;
};

} // namespace vigil::monitor
