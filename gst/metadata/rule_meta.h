// SPDX-License-Identifier: LGPL-2.1-or-later
// Events of rules on the frames that they are about. Each event is a structure, the same one as its message
// has (boxrules, docs/reference/elements/boxrules.md). It is on a frame in up to three places:
//   GstCustomMeta "vigil-rules"      field `events`, a GstValueArray of all events in their order
//   GstVideoRegionOfInterestMeta     the boxes of the event's track have the structure as a parameter, whose
//                                    name is the event's: "zone-enter"
//   GstAnalyticsClsMtd               related to the track's GstAnalyticsTrackingMtd (GStreamer 1.24). Its
//                                    classes, each with confidence 1: the event, the zone or line, and the
//                                    direction of a crossing
// Events that have no frame, as those at the end of the stream, are in a serialised event of the type
// GST_EVENT_CUSTOM_DOWNSTREAM, whose structure is that of the custom meta.
#pragma once

#include "gst/video/gst_ptr.h"

#include <gst/gst.h>
#include <span>
#include <vector>

namespace vigil::gst {

inline constexpr const char *rules_meta = "vigil-rules";
// Once, before any buffer gets one.
void register_rules_meta();
// Behind those that are there. The buffer must be writable.
void add_rule_events(GstBuffer *, std::span<const StructurePtr>);
GstEvent *new_rules_event(std::span<const StructurePtr>);

// Those on a frame, in their order. They belong to the buffer.
std::vector<const GstStructure *> rule_events_on(GstBuffer *);
// Those of an event of new_rules_event(); none of any other.
std::vector<const GstStructure *> rule_events_of(GstEvent *);

} // namespace vigil::gst
