// SPDX-License-Identifier: LGPL-2.1-or-later
// Plays a stream as a camera would, and looks at it instead of watching and recording it:
//
//   source ! parsebin ! parser ! decodebin ! scaler ! JPEG
//
// What lists other addresses (HLS, DASH, SDP) is not followed: only the address that a person named is asked.
#pragma once

#include "stream_findings.h"
#include "stream_pipeline.h"

#include <memory>

namespace vigil::monitor {

class StreamLook final : public StreamPipeline {
 public:
  // On the main thread, as play() and mute().
  StreamLook(const CameraConfig &, std::shared_ptr<StreamObserver>, tools::SharedContexts &, const Utc &);
  ~StreamLook() override;

  StreamObserver &observer() { return *observer_; }

 private:
  struct Callbacks;
  void link(GstPad *, const std::string &caps) override;
  void link_pictures(GstPad *);
  void count(GstPad *, GstBuffer *);

  const std::shared_ptr<StreamObserver> observer_;
};

} // namespace vigil::monitor
