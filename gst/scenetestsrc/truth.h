// SPDX-License-Identifier: LGPL-2.1-or-later
// What the pad truth says of objects: metadata on its frames, and messages.
#pragma once

#include "common/scene/scene.h"
#include "gst/metadata/results.h"

#include <gst/gst.h>
#include <span>

namespace vigil {

// One GstVideoRegionOfInterestMeta for each object: its type "person", "car", "bag" or "bicycle", its id the
// object's true one, its box that of the object's own pixels in the picture, whether something hides them or
// not. Its parameter is a GstStructure "truth" with
//   id                                                        gint, as the meta's
//   left, top, right, bottom                                  gdouble, the whole object, beyond the picture's
//                                                             border as well; pixels
//   ground-x, ground-y                                        gdouble, where it stands; pixels
//   visible                                                   gdouble, the share of it that is shown, 0..1
//   visible-x, visible-y, visible-width, visible-height       gint, box of the pixels that show it; all 0:
//                                                             none
//   speed                                                     gdouble, metres a second
//   standing                                                  gboolean
//   owner                                                     gint, of a bag: the id of who put it down; else
//                                                             0
void add_truth(GstBuffer *, std::span<const scene::TrueObject>);

// Element messages about a frame. All have new_timed_structure()'s fields, and except for truth-lines
//   id, type    gint, gchararray, as above
// truth-cross: the point on the ground went over a line since the frame before
//   line, direction, x, y    gchararray, "forward" or "backward" (scene::Incident), gdouble pixels
// truth-stay-begin, truth-stay-end: it stands, or no longer
//   since, lasted            guint64, nanoseconds; of scene time; lasted with the end
// truth-object-left, truth-object-removed: a bag was put down, or picked up
//   owner, since, lasted     gint, guint64; lasted with the removal
void post_incidents(GstElement *, const gst::FrameTime &, double now, std::span<const scene::Incident>);
// truth-lines, once before the first frame: lines, a GstValueArray of GstStructure "line" with name, x1, y1,
// x2, y2 (gdouble, 0..1 of the picture's width and height).
void post_lines(GstElement *, const gst::FrameTime &);

} // namespace vigil
