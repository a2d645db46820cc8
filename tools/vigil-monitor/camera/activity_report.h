// SPDX-License-Identifier: LGPL-2.1-or-later
// Hands on, once a second, what a camera's frames have shown: samples to viewers, where it moved to the
// storage, and once a minute the heat map. For the main thread.
#pragma once

#include "camera_services.h"
#include "feed.h"

#include <memory>
#include <optional>
#include <string>

namespace vigil::monitor {

class ActivityReport {
 public:
  ActivityReport(std::string camera, CameraNews &, std::shared_ptr<CameraFeed>);

  Activity::Second end_second();           // of the frames so far
  void announce(const Activity::Second &); // of a camera that is online
  void store();
  void stop(); // stores what was collected

 private:
  void heat_ends();
  void hand_over_motion();

  const std::string camera_;
  CameraNews &news_;
  const std::shared_ptr<CameraFeed> feed_;
  std::optional<double> heat_minute_; // UTC at which the minute began that is being collected
};

} // namespace vigil::monitor
