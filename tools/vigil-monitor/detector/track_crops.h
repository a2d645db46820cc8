// SPDX-License-Identifier: LGPL-2.1-or-later
// A camera's side of the detector: cuts crops of tracks out of the pictures that come into the chain, and
// gives the answers to tracklabel. A picture is cut where it comes in, before anything is drawn on it or it
// is made smaller; the tracks are those of the newest frame that has left the chain.
#pragma once

#include "crop_plan.h"
#include "detector.h"

#include <gst/video/video.h>
#include <memory>
#include <mutex>
#include <string>

namespace vigil::monitor {

class TrackCrops {
 public:
  // `tracklabel`: of the chain; it is kept.
  TrackCrops(std::string camera, std::shared_ptr<Detector>, GstElement *tracklabel);
  ~TrackCrops();
  TrackCrops(const TrackCrops &) = delete;
  TrackCrops &operator=(const TrackCrops &) = delete;

  // A frame behind the chain, whose pictures have this size. On the chain's thread.
  void see(GstBuffer *, GstClockTime running, int width, int height);
  // Pictures that come into the chain, on their thread.
  void caps(const GstVideoInfo &info) { info_ = info; }
  void picture(GstBuffer *, GstClockTime running);

 private:
  const std::string camera_;
  const std::shared_ptr<Detector> detector_;
  const std::shared_ptr<GstElement> tracklabel_;
  CropPlan plan_;
  GstVideoInfo info_{};
};

} // namespace vigil::monitor
