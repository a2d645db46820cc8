// SPDX-License-Identifier: LGPL-2.1-or-later
// What elements found, as metadata on the frame and as messages on the bus.
#pragma once

#include "gst/base/motion.h"

#include <gst/gst.h>
#include <span>

namespace vigil::gst {

struct Box {
  int x, y, width, height; // pixels
  guint area;              // foreground pixels in it
};

// When a frame is shown; each may be GST_CLOCK_TIME_NONE.
struct FrameTime {
  GstClockTime timestamp = GST_CLOCK_TIME_NONE, duration = GST_CLOCK_TIME_NONE;
  GstClockTime running = GST_CLOCK_TIME_NONE, stream = GST_CLOCK_TIME_NONE;
};
FrameTime frame_time(const GstSegment &, GstBuffer *);
// How long it lasts: what it says or, if it says nothing, what the caps of this pad do.
GstClockTime duration_of(GstPad *, const FrameTime &);

// One GstVideoRegionOfInterestMeta of this type for each box, its id the box's index,
// with a parameter of that name whose field area (guint) is the blob's foreground pixels; and the same as GstAnalytics object detections
// where those exist (GStreamer 1.24). The buffer must be writable.
void add_boxes(GstBuffer *, const char *roi_type, std::span<const Box>);

// A structure for an element message about a frame, with the fields
//   timestamp, stream-time, running-time, duration  guint64, in nanoseconds; of the frame
GstStructure *new_timed_structure(const char *name, const FrameTime &);

// An element message `name` with those fields and
//   changed-fraction                                gdouble, 0..1
//   boxes    GstValueArray of GstStructure "box" with gint x, y, width, height and guint area; the largest
//            first, no more than 64
GstMessage *new_motion_message(GstElement *, const char *name, const FrameTime &, double changed_fraction,
                               std::span<const Box>);

// Posts motion-begin or motion-end, as that message, when there is a change and the settings want messages.
void post_motion(GstElement *, Motion::Change, const MotionSettings &, const FrameTime &,
                 double changed_fraction, std::span<const Box>);

} // namespace vigil::gst
