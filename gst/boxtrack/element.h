// SPDX-License-Identifier: LGPL-2.1-or-later
// The inside of the element boxtrack, for the files that make it up:
//   element.cpp    the GObject: properties, start and stop
//   streaming.cpp  boxes in, tracks out
//   messages.cpp   track-begin, track-update, track-end
// Who is who is decided in kernels/track.
#pragma once

#include "gst/properties.h"
#include "gst/transform/any_frames.h"
#include "kernels/track/tracker.h"

#include <gst/base/gstbasetransform.h>
#include <gst/video/video.h>
#include <mutex>
#include <string>
#include <vector>

GST_DEBUG_CATEGORY_EXTERN(box_track_debug);
#undef GST_CAT_DEFAULT
#define GST_CAT_DEFAULT box_track_debug

namespace vigil::gst::boxtrack {

struct Reports {
  bool attach_estimates = true, post_messages = true;
  int update_interval = 1000;
  bool operator==(const Reports &) const = default;
};
inline constexpr auto reports_table = std::tuple{
    param("attach-estimates", "Attach estimates",
          "Whether estimated boxes of tracks are put on the frame too: of those in a group, and of those "
          "not found in this frame",
          &Reports::attach_estimates),
    param("post-messages", "Post messages",
          "Whether track-begin, track-update and track-end are posted on the bus", &Reports::post_messages),
    param("update-interval", "Update interval",
          "Milliseconds of the stream between messages track-update, which hold all tracks. 0: none",
          &Reports::update_interval, 0, 3600000),
};

struct Settings {
  track::Params tracks;
  Reports reports;
  std::string roi_type; // empty: all
};

struct Stats {
  guint64 frames = 0, boxes = 0, begun = 0, ended = 0, current = 0, passed_over = 0;
};

// One box of the frame at hand.
struct FrameBox {
  GstVideoRegionOfInterestMeta *roi = nullptr; // null when it came as a GstAnalytics object alone
  gint64 object = -1;                          // id of the GstAnalytics object; -1: there is none
};

struct Impl {
  // Held for moments, by any thread.
  std::mutex mutex;
  Settings settings;
  Stats stats;

  // The streaming thread's own.
  track::Tracker tracker;
  std::vector<track::Detection> detections;
  std::vector<FrameBox> found;      // one for each detection
  std::vector<track::Object> alive; // as after the last frame
  StreamPosition place;
  GstClockTime next_update = 0;
  gint next_box = 0; // id of the next box put on the frame: bindings find metas by it

  Settings snapshot() {
    const std::lock_guard lock(mutex);
    return settings;
  }
};

} // namespace vigil::gst::boxtrack

struct GstBoxTrack {
  GstBaseTransform parent;
  vigil::gst::boxtrack::Impl *impl;
};

namespace vigil::gst::boxtrack {

inline Impl &impl_of(gpointer self) {
  return *static_cast<GstBoxTrack *>(self)->impl;
}
GstBaseTransformClass *parent_class();
void install_streaming(GstBaseTransformClass *);

// A track as a structure: id, type, x, y, width, height (pixels, gdouble), vx, vy, state, stationary, age,
// group.
GstStructure *describe(const char *name, const track::Object &, double now);
// Posts what changed with this frame: tracks that are new since `alive`, those that ended, and, when it is
// time, all of them.
void post_changes(GstElement *, Impl &, const Settings &, const FrameTime &);

} // namespace vigil::gst::boxtrack
