// SPDX-License-Identifier: LGPL-2.1-or-later
// The inside of the element boxrules, for the files that make it up:
//   element.cpp      the GObject: properties, action signals, start and stop
//   streaming.cpp    tracks in, events out
//   messages.cpp     events as structures, of messages and metadata
//   drawing.*        zones, lines, totals, ids and trails as pictures
// What the rules say and what they find is in kernels/rules.
#pragma once

#include "gst/boxrules/drawing.h"
#include "gst/metadata/rule_meta.h"
#include "gst/metadata/track_meta.h"
#include "gst/properties.h"
#include "gst/transform/any_frames.h"
#include "kernels/rules/rule_engine.h"

#include <atomic>
#include <gst/base/gstbasetransform.h>
#include <mutex>
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

struct NamedCount {
  std::string name;
  rules::ZoneCount zone;
  rules::LineTotal line;
};
struct Stats {
  guint64 frames = 0, tracks = 0, events = 0;
  std::vector<NamedCount> zones, lines;
};

struct Impl {
  // Held for moments, by any thread.
  std::mutex mutex;
  Settings settings;
  rules::Rules wanted;  // as the user said them
  unsigned version = 1; // counts how often they changed
  bool reset_totals = false;
  Stats stats;

  // The streaming thread's own.
  rules::RuleEngine engine;
  unsigned taken = 0; // the version that engine has
  std::vector<TrackOnFrame> tracks;
  std::vector<rules::Subject> subjects;
  std::vector<GhostOnFrame> ghosts_found;
  std::vector<rules::Ghost> ghosts;
  std::vector<StructurePtr> waiting; // events that no frame has yet, in their order
  StreamPosition place;
  double rules_width = 0, rules_height = 0; // of that which rules in pixels were first used on
  unsigned rules_version = 0;               // and which version of them
  Drawing drawing;
  bool drawable = false; // frames are raw video in system memory
  bool downstream_composes = false, told_no_drawing = false;
  std::atomic<bool> downstream_changed = true; // since it was asked; any thread
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
StructurePtr new_event_structure(const rules::Event &, const FrameTime &);

} // namespace vigil::gst::boxrules
