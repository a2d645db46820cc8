// SPDX-License-Identifier: LGPL-2.1-or-later
// A camera's connection: its pipeline, built again whenever it has failed, after longer and longer waits. For
// the main thread.
#pragma once

#include "backoff.h"
#include "camera_services.h"
#include "pipeline.h"

#include <atomic>
#include <cstdint>
#include <memory>

namespace vigil::monitor {

class CameraConnection {
 public:
  explicit CameraConnection(CameraServices &services) : services_(services) {}

  enum class Look {
    waiting,  // for the next try
    due,      // the next try
    hanging,  // the last connections do not end: no other one may follow
    quiet,    // no frame came since the last look
    pictures, // frames came, and went through
    silent    // no frame came for patience() seconds
  };
  Look look(bool online); // once a second

  void begin(bool again); // before take(), which may fail
  void take(std::unique_ptr<CameraPipeline> p) { pipeline_ = std::move(p); }
  double failed(bool was_online); // how long the next try waits, in seconds
  void ended();                   // there is no next try
  void renew();                   // the next try is as the first one
  // `needed`: kept until the pipeline is down.
  void take_down(std::shared_ptr<const void> needed);

  CameraPipeline *pipeline() const { return pipeline_.get(); } // null: there is none
  double began() const { return began_; }                      // by the monotonic clock
  double patience() const; // seconds without a picture, after which the connection is given up
  // Of all connections together:
  std::uint64_t frames() const { return frames_before_ + (pipeline_ ? pipeline_->frames_in() : 0); }
  std::uint64_t tiles() const { return tiles_before_ + (pipeline_ ? pipeline_->tiles() : 0); }
  std::uint64_t reconnects() const { return reconnects_; }

 private:
  CameraServices &services_;
  std::unique_ptr<CameraPipeline> pipeline_;
  Backoff backoff_;
  double began_ = 0, last_frame_ = 0, retry_at_ = 0; // by the monotonic clock
  std::uint64_t last_frames_ = 0;                    // by the last look
  std::uint64_t frames_before_ = 0, tiles_before_ = 0, reconnects_ = 0;
  // Connections that are being taken down. One that never ends must not be followed by others for ever.
  const std::shared_ptr<std::atomic<int>> going_down_ = std::make_shared<std::atomic<int>>(0);
};

} // namespace vigil::monitor
