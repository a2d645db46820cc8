// SPDX-License-Identifier: LGPL-2.1-or-later
// What elements found, as metadata on the frame and as messages on the bus.
#pragma once

#include "gst/metadata/box.h"
#include "gst/metadata/motion.h"

#include <algorithm>
#include <gst/video/video.h>
#include <span>

namespace vigil::gst {

// How far the box is filled, 0..1: the share of its pixels that are foreground. It tells a solid thing from
// what is scattered over its box; it is no probability.
inline double confidence_of(const BlobBox &b) {
  const double pixels = double(b.width) * b.height;
  return pixels > 0 ? std::min(double(b.area) / pixels, 1.) : 0;
}

// When a frame is shown; each may be GST_CLOCK_TIME_NONE.
struct FrameTime {
  GstClockTime timestamp = GST_CLOCK_TIME_NONE, duration = GST_CLOCK_TIME_NONE;
  GstClockTime running = GST_CLOCK_TIME_NONE, stream = GST_CLOCK_TIME_NONE;
  // VigilTransform's findings (frame_judge.h), for its Work.
  double seconds = 0;     // for which the frame counts
  bool passes_by = false; // it is corrupted: it says nothing of the scene
};
FrameTime frame_time(const GstSegment &, GstBuffer *);
// How long it lasts: what it says or, if it says nothing, what the caps of such frames do.
GstClockTime duration_of(const GstVideoInfo &, const FrameTime &);
// When it is, in seconds: its timestamp or, if it has none, its duration after the frame before, which was at
// `before`.
double seconds_of(const GstVideoInfo &, const FrameTime &, double before);

// One GstVideoRegionOfInterestMeta of this type for each box, its id the box's index, and the same as
// GstAnalytics object detections where those exist (GStreamer 1.24). Each GstVideoRegionOfInterestMeta has a
// parameter, a GstStructure "blob" with
//   area            guint, foreground pixels
//   confidence      gdouble, confidence_of(), as the object detection has it, too
//   x, y            gdouble, centroid in pixels
//   xx, xy, yy      gdouble, central second moments in pixels^2
//   c0, c1, c2      gdouble, mean colour 0..255: R G B, or Y U V, or Y alone, as the frames are
//   ghost           gboolean, TRUE: background that an object laid bare; missing on all others
// of which those that are not known are missing. The buffer must be writable.
void add_boxes(GstBuffer *, const char *roi_type, std::span<const BlobBox>);

// A structure for an element message about a frame, with the fields
//   timestamp, stream-time, running-time, duration  guint64, in nanoseconds; of the frame
GstStructure *new_timed_structure(const char *name, const FrameTime &);

// An element message `name` with those fields and
//   changed-fraction                                gdouble, 0..1
//   boxes    GstValueArray of GstStructure "box" with gint x, y, width, height and guint area; the largest
//            first, no more than 64
GstMessage *new_motion_message(GstElement *, const char *name, const FrameTime &, double changed_fraction,
                               std::span<const BlobBox>);

// Posts motion-begin or motion-end, as that message, when there is a change and the settings want messages.
// motion-end has one more field:
//   quiet                                           guint64, ns for which there had been no motion then
void post_motion(GstElement *, Motion::Change, const Motion &, const MotionSettings &, const FrameTime &,
                 double changed_fraction, std::span<const BlobBox>);

} // namespace vigil::gst
