// SPDX-License-Identifier: LGPL-2.1-or-later
// The inside of the element boxrules, for the files that make it up:
//   element.cpp      the GObject: properties, action signals, start and stop
//   streaming.cpp    tracks in, events out
//   wanted_rules.h   the rules as they were set, for all threads
//   picture_rules.h  the same in pixels of the picture
//   frame_objects.h  tracks and ghosts on a frame
//   rule_stats.*     the property stats
//   painter.*        the drawing on frames; drawing.* makes pictures of zones, lines, totals, ids and trails
// What the rules say and what they find is in kernels/rules.
#pragma once

#include "gst/boxrules/frame_objects.h"
#include "gst/boxrules/painter.h"
#include "gst/boxrules/picture_rules.h"
#include "gst/boxrules/rule_stats.h"
#include "gst/boxrules/wanted_rules.h"
#include "gst/metadata/rule_meta.h"
#include "gst/properties.h"
#include "gst/shared_settings.h"
#include "gst/transform/any_frames.h"
#include "kernels/rules/rule_engine.h"

#include <gst/base/gstbasetransform.h>
#include <string>
#include <vector>

GST_DEBUG_CATEGORY_EXTERN(box_rules_debug);
#undef GST_CAT_DEFAULT
#define GST_CAT_DEFAULT box_rules_debug

namespace vigil::gst::boxrules {

struct Reports {
  bool post_messages = true, draw = false;
  bool operator==(const Reports &) const = default;
};
inline constexpr auto reports_table = std::tuple{
    param("post-messages", "Post messages", "Whether the events of zones and lines are posted on the bus",
          &Reports::post_messages),
    param("draw", "Draw",
          "Whether zones, lines, totals, ids and trails are drawn: as GstVideoOverlayComposition where the "
          "next element takes it, otherwise into frames in system memory",
          &Reports::draw),
};

struct Settings {
  rules::Settings engine;
  Reports reports;
  std::string location;
};

struct Impl {
  // Used by any thread.
  SharedSettings<Settings> settings;
  WantedRules wanted;
  RuleStats stats;

  // The streaming thread's own.
  rules::RuleEngine engine;
  PictureRules picture_rules;
  FrameObjects objects;
  std::vector<StructurePtr> waiting; // events that no frame has yet, in their order
  StreamPosition place;
  Painter painter;
};

} // namespace vigil::gst::boxrules

struct GstBoxRules {
  GstBaseTransform parent;
  vigil::gst::boxrules::Impl *impl;
};

namespace vigil::gst::boxrules {

inline Impl &impl_of(gpointer self) {
  return *static_cast<GstBoxRules *>(self)->impl;
}
GstBaseTransformClass *parent_class();
void install_streaming(GstBaseTransformClass *);
// The text of a file of rules. Throws as read_plain_file().
std::string read_rules(const std::string &location);

} // namespace vigil::gst::boxrules
