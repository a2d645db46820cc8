// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/metadata/onvif.h"

#include "gst/metadata/xml_text.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <initializer_list>
#include <string_view>

namespace vigil::gst {
namespace {

// The fields that a notification has elsewhere.
constexpr std::array elsewhere{"timestamp", "stream-time", "running-time", "duration", "zone", "line", "id"};

struct TopicOf {
  const char *event, *topic;
};
// ONVIF's own topics; for the rest topics of ours below ONVIF's.
constexpr std::array topics{
    TopicOf{"line-cross", "tns1:RuleEngine/LineDetector/Crossed"},
    TopicOf{"zone-enter", "tns1:RuleEngine/FieldDetector/ObjectsInside"},
    TopicOf{"zone-leave", "tns1:RuleEngine/FieldDetector/ObjectsInside"},
    TopicOf{"zone-count", "tns1:RuleEngine/CountAggregation/OccupancyCounter"},
    TopicOf{"loitering", "tns1:RuleEngine/LoiteringDetector/ObjectIsLoitering"},
    TopicOf{"object-left", "tns1:RuleEngine/ObjectAbandoned"},
    TopicOf{"object-removed", "tns1:RuleEngine/ObjectRemoved"},
    TopicOf{"wrong-way", "tns1:RuleEngine/vigil:WrongWay"},
    TopicOf{"crowd", "tns1:RuleEngine/vigil:Crowd"},
    TopicOf{"speed", "tns1:RuleEngine/vigil:Speed"},
};

// Of a rule that this file does not know yet: the XML is valid, and a reader sees the name.
std::string topic_of(const char *event) {
  for (const TopicOf &t : topics)
    if (!std::strcmp(t.event, event)) return t.topic;
  return std::string("tns1:RuleEngine/vigil:Event");
}

// ONVIF's words for what the shape rule says. Labels that were taught, and detectors' types, stay.
std::string type_of(const std::string &label) {
  if (label == "person") return "Human";
  if (label == "vehicle") return "Vehicle";
  return label == "other" ? "Other" : label;
}

std::string joined(std::initializer_list<std::string_view> parts) {
  std::string out;
  for (const std::string_view part : parts) out += part;
  return out;
}

std::string item(std::string_view name, const std::string &value) {
  return joined({"<tt:SimpleItem Name=\"", xml_text(name), "\" Value=\"", xml_text(value), "\"/>"});
}

std::string value_text(const GValue *v) {
  if (G_VALUE_HOLDS_STRING(v)) {
    const gchar *text = g_value_get_string(v);
    return text ? text : "";
  }
  if (G_VALUE_HOLDS_BOOLEAN(v)) return g_value_get_boolean(v) ? "true" : "false";
  if (G_VALUE_HOLDS_DOUBLE(v)) return xml_number(g_value_get_double(v));
  if (G_VALUE_HOLDS_UINT64(v)) return std::to_string(g_value_get_uint64(v));
  if (G_VALUE_HOLDS_INT(v)) return std::to_string(g_value_get_int(v));
  gchar *text = g_strdup_value_contents(v);
  std::string out = text;
  g_free(text);
  return out;
}

gint64 utc_of(const GstStructure *event, const OnvifFrame &frame) {
  guint64 at = GST_CLOCK_TIME_NONE;
  gst_structure_get_uint64(event, "timestamp", &at);
  if (!GST_CLOCK_TIME_IS_VALID(at) || !GST_CLOCK_TIME_IS_VALID(frame.timestamp)) return frame.utc;
  return frame.utc - GST_CLOCK_DIFF(at, frame.timestamp);
}

// ONVIF's own items of the topic.
std::string standard_items(const GstStructure *event, gint64 utc) {
  const char *name = gst_structure_get_name(event);
  std::string out;
  guint64 id = 0;
  if (gst_structure_get_uint64(event, "id", &id)) out += item("ObjectId", std::to_string(id));
  int count = 0;
  const bool counts = gst_structure_get_int(event, "count", &count);
  if (counts && (!std::strcmp(name, "zone-enter") || !std::strcmp(name, "zone-leave")))
    out += item("IsInside", count > 0 ? "true" : "false");
  if (counts && !std::strcmp(name, "zone-count")) out += item("Count", std::to_string(count));
  double seconds = 0;
  if (!std::strcmp(name, "loitering") && gst_structure_get_double(event, "seconds", &seconds))
    out += item("Since", xml_time(utc - static_cast<gint64>(seconds * GST_SECOND)));
  return out;
}

std::string notification(const GstStructure *event, const OnvifFrame &frame) {
  const gint64 utc = utc_of(event, frame);
  const char *name = gst_structure_get_name(event);
  const char *rule = gst_structure_get_string(event, "zone");
  if (!rule) rule = gst_structure_get_string(event, "line");
  std::string out = joined(
      {"<wsnt:NotificationMessage><wsnt:Topic Dialect=\"http://www.onvif.org/ver10/tev/topicExpression/"
       "ConcreteSet\">",
       topic_of(name), "</wsnt:Topic><wsnt:Message><tt:Message UtcTime=\"", xml_time(utc),
       "\" PropertyOperation=\"Changed\"><tt:Source>", item("VideoSource", frame.video_source),
       item("Rule", rule ? rule : ""), "</tt:Source><tt:Data>", standard_items(event, utc),
       item("Event", name)});
  for (int i = 0; i < gst_structure_n_fields(event); i++) {
    const char *field = gst_structure_nth_field_name(event, static_cast<guint>(i));
    const auto is_field = [&](const char *e) { return !std::strcmp(e, field); };
    if (std::none_of(elsewhere.begin(), elsewhere.end(), is_field))
      out += item(field, value_text(gst_structure_get_value(event, field)));
  }
  return out + "</tt:Data></tt:Message></wsnt:Message></wsnt:NotificationMessage>";
}

std::string object(const OnvifObject &o, const OnvifFrame &frame) {
  const auto x = [&](double pixels) {
    return xml_number(static_cast<float>(std::clamp(2 * pixels / frame.width - 1, -1., 1.)));
  };
  const auto y = [&](double pixels) {
    return xml_number(static_cast<float>(std::clamp(1 - 2 * pixels / frame.height, -1., 1.)));
  };
  const track::Box &b = o.box;
  std::string out = joined({"<tt:Object ObjectId=\"", std::to_string(o.id),
                            "\"><tt:Appearance><tt:Shape><tt:BoundingBox left=\"", x(b.x), "\" top=\"",
                            y(b.y), "\" right=\"", x(b.x + b.width), "\" bottom=\"", y(b.y + b.height),
                            "\"/><tt:CenterOfGravity x=\"", x(b.x + b.width / 2), "\" y=\"",
                            y(b.y + b.height / 2), "\"/></tt:Shape>"});
  if (!o.type.empty()) {
    out += "<tt:Class><tt:Type";
    if (o.likely) out += joined({" Likelihood=\"", xml_number(static_cast<float>(*o.likely)), "\""});
    out += joined({">", xml_text(o.type), "</tt:Type></tt:Class>"});
  }
  out += "</tt:Appearance>";
  if (o.idle) out += "<tt:Behaviour><tt:Idle/></tt:Behaviour>";
  return out + "</tt:Object>";
}

} // namespace

std::vector<OnvifObject> onvif_objects_on(GstBuffer *buffer) {
  std::vector<TrackOnFrame> tracks;
  tracks_on(buffer, tracks);
  std::vector<OnvifObject> out;
  for (const TrackOnFrame &t : tracks) {
    OnvifObject o{t.object.id, t.object.box, {}, {}, t.object.stationary};
    const gchar *type = g_quark_to_string(t.type);
    if (const auto name = track_name_on(buffer, t.object.id)) {
      o.type = type_of(name->label);
      o.likely = name->score;
    } else if (type && std::strcmp(type, "motion") != 0) { // which says nothing of what moves
      o.type = type_of(type);
    }
    out.push_back(std::move(o));
  }
  return out;
}

std::string onvif_document(const OnvifFrame &frame, bool with_frame) {
  std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                    "<tt:MetadataStream xmlns:tt=\"http://www.onvif.org/ver10/schema\" "
                    "xmlns:wsnt=\"http://docs.oasis-open.org/wsn/b-2\" "
                    "xmlns:tns1=\"http://www.onvif.org/ver10/topics\" xmlns:vigil=\"urn:vigil:topics\">";
  if (with_frame) {
    out += joined({"<tt:VideoAnalytics><tt:Frame UtcTime=\"", xml_time(frame.utc), "\" Source=\"vigil\">"});
    for (const OnvifObject &o : frame.objects) out += object(o, frame);
    out += "</tt:Frame></tt:VideoAnalytics>";
  }
  if (!frame.events.empty()) {
    out += "<tt:Event>";
    for (const GstStructure *e : frame.events) out += notification(e, frame);
    out += "</tt:Event>";
  }
  return out + "</tt:MetadataStream>\n";
}

} // namespace vigil::gst
