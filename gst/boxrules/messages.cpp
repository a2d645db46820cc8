// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/boxrules/element.h"

namespace vigil::gst::boxrules {

StructurePtr new_event_structure(const rules::Event &e, const FrameTime &time) {
  using rules::Kind;
  GstStructure *s = new_timed_structure(rules::name_of(e.kind), time);
  const bool at_line = e.kind == Kind::line_cross || e.kind == Kind::wrong_way;
  gst_structure_set(s, at_line ? "line" : "zone", G_TYPE_STRING, e.rule->c_str(), nullptr);
  if (e.id != 0)
    gst_structure_set(s, "id", G_TYPE_UINT64, guint64(e.id), "type", G_TYPE_STRING,
                      std::string(e.type).c_str(), "x", G_TYPE_DOUBLE, e.at.x, "y", G_TYPE_DOUBLE, e.at.y,
                      "speed", G_TYPE_DOUBLE, e.speed, nullptr);
  if (!e.label.empty()) gst_structure_set(s, "label", G_TYPE_STRING, e.label.c_str(), nullptr);
  switch (e.kind) {
  case Kind::line_cross:
  case Kind::wrong_way:
    gst_structure_set(s, "direction", G_TYPE_STRING, rules::name_of(e.direction), "total-forward",
                      G_TYPE_UINT64, guint64(e.forward), "total-backward", G_TYPE_UINT64, guint64(e.backward),
                      nullptr);
    break;
  case Kind::object_left:
  case Kind::object_removed:
    gst_structure_set(s, "owner", G_TYPE_UINT64, guint64(e.owner), "seconds", G_TYPE_DOUBLE, e.seconds,
                      nullptr);
    break;
  case Kind::crowd_begin:
  case Kind::crowd_end:
    gst_structure_set(s, "active", G_TYPE_BOOLEAN, gboolean(e.kind == Kind::crowd_begin), nullptr);
    [[fallthrough]];
  case Kind::zone_enter:
  case Kind::zone_count:
    gst_structure_set(s, "count", G_TYPE_INT, e.count, nullptr);
    break;
  case Kind::zone_leave:
  case Kind::loitering:
    gst_structure_set(s, "count", G_TYPE_INT, e.count, nullptr);
    [[fallthrough]];
  case Kind::speed:
    gst_structure_set(s, "seconds", G_TYPE_DOUBLE, e.seconds, "entered-id", G_TYPE_UINT64,
                      guint64(e.entered_id), nullptr);
    break;
  }
  return StructurePtr(s);
}

} // namespace vigil::gst::boxrules
