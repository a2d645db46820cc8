// SPDX-License-Identifier: LGPL-2.1-or-later
// Tracks in, events out.
#include "common/error.h"
#include "common/file.h"
#include "gst/boxrules/element.h"
#include "gst/errors.h"

#include <cmath>
#include <utility>

namespace vigil::gst::boxrules {
namespace {

// An event as a structure, of messages and metadata.
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

// On the bus where that is wanted; frames get them in any case (attach_events).
void post_events(GstElement *element, Impl &impl, bool wanted, const FrameTime &time) {
  impl.stats.count_events(impl.engine);
  for (const rules::Event &e : impl.engine.events()) {
    StructurePtr s = new_event_structure(e, time);
    if (wanted)
      gst_element_post_message(element,
                               gst_message_new_element(GST_OBJECT(element), gst_structure_copy(s.get())));
    impl.waiting.push_back(std::move(s));
  }
}

void attach_events(Impl &impl, GstBuffer *buffer) {
  add_rule_events(buffer, impl.waiting);
  impl.waiting.clear();
}

// The rules in pixels of the picture; without rules after a warning when they cannot be used on it.
rules::Rules usable(GstElement *element, Impl &impl, const WantedRules::Update &update) {
  try {
    return impl.picture_rules.in_pixels(*update.rules, update.version, impl.place.width, impl.place.height);
  } catch (const Error &e) {
    post_warning(element, e);
    return {};
  }
}

void take_rules(GstElement *element, Impl &impl, bool size_changed) {
  const WantedRules::Update update = impl.wanted.take(size_changed);
  if (update.rules) impl.engine.set(usable(element, impl, update));
  if (update.reset_totals) impl.engine.reset_totals();
  if (!update.rules) return;
  impl.painter.rules_changed();
  impl.stats.set_rules(impl.engine.rules());
}

// Who was there leaves at the time that was.
void all_leave(GstBaseTransform *trans, Impl &impl) {
  const bool wanted = impl.settings.read([](const Settings &s) { return s.reports.post_messages; });
  impl.engine.finish();
  post_events(GST_ELEMENT(trans), impl, wanted, impl.place.last_time);
  impl.painter.forget();
}

GstFlowReturn transform_ip(GstBaseTransform *trans, GstBuffer *buffer) {
  return guard(trans, GST_FLOW_ERROR, [&] {
    Impl &impl = impl_of(trans);
    take_rules(GST_ELEMENT(trans), impl, false);
    const auto [engine, reports] =
        impl.settings.read([](const Settings &s) { return std::pair(s.engine, s.reports); });
    const FrameTime time = frame_time(trans->segment, buffer);
    const double seconds = seconds_of(impl.place.info, time, impl.place.seconds);
    impl.engine.set(engine);
    if (seconds < impl.place.seconds) all_leave(trans, impl);
    impl.place.seconds = seconds;
    impl.place.last_time = time;
    if (impl.place.passes_by(buffer, time)) return GST_FLOW_OK;
    impl.objects.find(buffer);
    impl.engine.step(impl.objects.subjects(), impl.place.seconds, impl.objects.ghosts());
    impl.stats.count_frame(impl.objects.subjects().size());
    post_events(GST_ELEMENT(trans), impl, reports.post_messages, time);
    attach_events(impl, buffer);
    if (reports.draw) impl.painter.draw(trans, buffer, impl.engine, impl.objects.tracks(), impl.place);
    return GST_FLOW_OK;
  });
}

gboolean set_caps(GstBaseTransform *trans, GstCaps *in, GstCaps *) {
  return guard(trans, FALSE, [&] {
    Impl &impl = impl_of(trans);
    const bool changed = impl.place.set_caps(in);
    impl.painter.set_caps(in, impl.place);
    if (changed) { // places in pictures of another size say nothing of this one
      all_leave(trans, impl);
      take_rules(GST_ELEMENT(trans), impl, true);
    }
    return TRUE;
  });
}

gboolean sink_event(GstBaseTransform *trans, GstEvent *event) {
  if (GST_EVENT_TYPE(event) == GST_EVENT_EOS || GST_EVENT_TYPE(event) == GST_EVENT_FLUSH_STOP)
    guard(trans, false, [&] {
      Impl &impl = impl_of(trans);
      all_leave(trans, impl);
      // After a flush the next frame has them; at the end there is none.
      if (GST_EVENT_TYPE(event) == GST_EVENT_EOS && !impl.waiting.empty())
        gst_pad_push_event(GST_BASE_TRANSFORM_SRC_PAD(trans),
                           new_rules_event(std::exchange(impl.waiting, {})));
      return true;
    });
  return parent_class()->sink_event(trans, event);
}

gboolean src_event(GstBaseTransform *trans, GstEvent *event) {
  if (GST_EVENT_TYPE(event) == GST_EVENT_RECONFIGURE) impl_of(trans).painter.downstream_changed();
  return parent_class()->src_event(trans, event);
}

} // namespace

std::string read_rules(const std::string &location) {
  const auto bytes = read_plain_file(location, "the file of rules", 0,
                                     [](std::span<const std::uint8_t>) { return rules::largest_text; });
  return {bytes.begin(), bytes.end()};
}

void install_streaming(GstBaseTransformClass *transform) {
  pass_any_frames(transform);
  transform->transform_ip = transform_ip;
  transform->set_caps = set_caps;
  transform->sink_event = sink_event;
  transform->src_event = src_event;
}

} // namespace vigil::gst::boxrules
