// SPDX-License-Identifier: LGPL-2.1-or-later
// Everything that can be set at a gpufisher. How descriptors are taken and encoded is the model's.
#pragma once

#include "gst/properties.h"
#include "gst/transform/cuda_selector.h"
#include "gst/transform/pipeline_depth.h"

#include <string>

namespace vigil::gst::gpufisher {

// What operators of cameras tune while it runs.
struct Tuning {
  int every = 1;
  int window = 5;
  float threshold_offset = 0.f;
  bool attach_vector = false;
  bool post_messages = true;
  bool operator==(const Tuning &) const = default;
};
inline constexpr auto tuning_table = std::tuple{
    param("every", "Every n-th frame",
          "Frames from one scored frame to the next; the others pass as they are. Higher: less time, later "
          "events. 1: all are scored",
          &Tuning::every, 1, 10000),
    param("window", "Median window",
          "Scored frames whose median decides about events. Higher: fewer false events, reported (window - "
          "1) / 2 scored frames late",
          &Tuning::window, 1, 255),
    param(
        "threshold-offset", "Threshold offset",
        "Added to the thresholds that the model holds for each class. Higher: fewer events, lower: more. In "
        "units of the score, see vigil-train describe",
        &Tuning::threshold_offset, -1000.f, 1000.f),
    param("attach-vector", "Attach vector",
          "Whether each scored frame carries its Fisher vector too, in the metadata vigil-fisher",
          &Tuning::attach_vector),
    param("post-messages", "Post messages",
          "Whether the messages event-begin and event-end are posted on the bus", &Tuning::post_messages),
};

struct Settings {
  Tuning tuning;
  AsyncDepth flow;
  DeviceOptions device;
  BackendChoice backend = BackendChoice::automatic;
  std::string model_location;
};

// All of them but stats, which no one can set. Made once, in class_init.
const Properties<Settings> &properties();
// The id of model-location: setting it again, to the same file too, reads the file again.
guint model_location_id();

} // namespace vigil::gst::gpufisher
