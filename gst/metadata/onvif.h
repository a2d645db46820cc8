// SPDX-License-Identifier: LGPL-2.1-or-later
// Tracks and events of rules as ONVIF's metadata stream (ONVIF Streaming Specification, tt:MetadataStream;
// Analytics Service Specification for topics; Profile M).
//
//   tt:VideoAnalytics  a tt:Frame with a tt:Object for each track: ObjectId is the track's id, the bounding
//                      box is in ONVIF's default coordinates (-1 to 1, y up), the class is the track's label
//                      or a detector's type
//   tt:Event           a wsnt:NotificationMessage for each event of a rule. Its Data has ONVIF's items of the
//                      topic, the item Event with the name of our message, and the message's other fields
//
// docs/reference/elements/onvifmeta.md has the topics.
#pragma once

#include "gst/metadata/track_meta.h"

#include <gst/gst.h>
#include <optional>
#include <string>
#include <vector>

namespace vigil::gst {

struct OnvifObject {
  guint64 id = 0;
  track::Box box;               // pixels
  std::string type;             // as ONVIF names it; empty: not known
  std::optional<double> likely; // of the type, 0..1
  bool idle = false;            // stationary
};
struct OnvifFrame {
  gint64 utc = 0; // ns since 1970-01-01T00:00:00Z
  GstClockTime timestamp = GST_CLOCK_TIME_NONE;
  double width = 0, height = 0; // of the picture, pixels
  std::string video_source;     // the item VideoSource of events
  std::vector<OnvifObject> objects;
  std::vector<const GstStructure *> events; // rule_meta.h
};

// The tracks on a frame, by id.
std::vector<OnvifObject> onvif_objects_on(GstBuffer *);
// With a tt:Frame when `with_frame`: events at the end of a stream have none.
std::string onvif_document(const OnvifFrame &, bool with_frame);

} // namespace vigil::gst
