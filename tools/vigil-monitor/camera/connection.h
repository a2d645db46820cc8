// SPDX-License-Identifier: LGPL-2.1-or-later
// A connection to one of a camera's streams: its pipeline, built again whenever it has failed, after longer
// and longer waits. For the main thread.
#pragma once

#include "backoff.h"
#include "camera_services.h"
#include "stream_pipeline.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

namespace vigil::monitor {

class Connection {
 public:
  explicit Connection(CameraServices &services) : services_(services) {}

  enum class Look {
    waiting,  // for the next try
    due,      // the next try
    hanging,  // the last connections do not end: no other one may follow
    quiet,    // no frame came since the last look
    pictures, // frames came, and went through
    silent    // no frame came for patience() seconds
  };
  Look look(bool online); // once a second

  void begin(bool again);         // before take(), which may fail
  double failed(bool was_online); // how long the next try waits, in seconds
  void ended();                   // there is no next try
  void renew();                   // the next try is as the first one
  // `needed`: kept until the pipeline is down.
  void take_down(std::shared_ptr<const void> needed);

  double began() const { return began_; } // by the monotonic clock
  double patience() const;                // seconds without a picture, after which the connection is given up
  // Of all connections together:
  std::uint64_t frames() const { return frames_before_ + (pipeline_ ? pipeline_->frames_in() : 0); }
  std::uint64_t decoded() const { return decoded_before_ + (pipeline_ ? pipeline_->decoded() : 0); }
  std::uint64_t tiles() const { return tiles_before_ + (pipeline_ ? pipeline_->tiles() : 0); }
  std::uint64_t reconnects() const { return reconnects_; }
  // Our clock less the camera's, for this stream (sender_clock.h).
  std::optional<double> sender_lag() const { return pipeline_ ? pipeline_->sender_lag() : std::nullopt; }

 protected:
  std::unique_ptr<StreamPipeline> pipeline_;

 private:
  CameraServices &services_;
  Backoff backoff_;
  double began_ = 0, last_frame_ = 0, retry_at_ = 0; // by the monotonic clock
  double distance_ = 0;                              // between two pictures, in seconds
  std::uint64_t last_frames_ = 0;                    // by the last look
  std::uint64_t frames_before_ = 0, decoded_before_ = 0, tiles_before_ = 0, reconnects_ = 0;
  // Connections that are being taken down. One that never ends must not be followed by others without limit.
  const std::shared_ptr<std::atomic<int>> going_down_ = std::make_shared<std::atomic<int>>(0);
};

// With pipelines of one kind.
template <class Pipeline>
class ConnectionBy : public Connection {
 public:
  using Connection::Connection;
  void take(std::unique_ptr<Pipeline> p) { pipeline_ = std::move(p); }
  Pipeline *pipeline() const { return static_cast<Pipeline *>(pipeline_.get()); } // null: there is none
};

} // namespace vigil::monitor
