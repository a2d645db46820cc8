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

// On the bus where that is wanted; frames get them in any case (attach_events).
void post_events(GstElement *element, Impl &impl, bool wanted, const FrameTime &time) {
  {
    const std::lock_guard lock(impl.mutex);
    impl.stats.events += impl.engine.events().size();
    for (std::size_t i = 0; i < impl.stats.zones.size(); i++) impl.stats.zones[i].zone = impl.engine.count(i);
    for (std::size_t i = 0; i < impl.stats.lines.size(); i++) impl.stats.lines[i].line = impl.engine.total(i);
  }
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

// The rules as they are for this picture; without rules after a warning when they cannot be used on it.
rules::Rules usable(GstElement *element, Impl &impl, const rules::Rules &wanted) {
  if (wanted.zones.empty() && wanted.lines.empty()) return {};
  try {
    if (impl.place.width <= 0 || impl.place.height <= 0)
      fail(Error::Kind::bad_setting,
           "the rules cannot be used: the caps tell no width and height of the picture");
    if (wanted.units == rules::Units::pixels) {
      if (impl.rules_version != impl.taken) { // these are new
        impl.rules_version = impl.taken;
        impl.rules_width = impl.place.width;
        impl.rules_height = impl.place.height;
      } else if (impl.rules_width != impl.place.width || impl.rules_height != impl.place.height)
        fail(Error::Kind::bad_setting, "the picture is ", impl.place.width, "x", impl.place.height,
             " now, and the rules were given in pixels of ", impl.rules_width, "x", impl.rules_height,
             ": they are not used until they are set again; normalised ones follow the size");
    }
    return rules::in_pixels(wanted, impl.place.width, impl.place.height);
  } catch (const Error &e) {
    post_warning(element, e);
    return {};
  }
}

void take_rules(GstElement *element, Impl &impl, bool size_changed) {
  rules::Rules wanted;
  bool reset = false;
  {
    const std::lock_guard lock(impl.mutex);
    reset = impl.reset_totals;
    impl.reset_totals = false;
    if (impl.version == impl.taken && !size_changed) {
      if (reset) impl.engine.reset_totals();
      return;
    }
    wanted = impl.wanted;
    impl.taken = impl.version;
  }
  impl.engine.set(usable(element, impl, wanted));
  if (reset) impl.engine.reset_totals();
  impl.drawing.rules_changed();
  const std::lock_guard lock(impl.mutex);
  impl.stats.zones.clear();
  impl.stats.lines.clear();
  for (const rules::Zone &z : impl.engine.rules().zones) impl.stats.zones.push_back({z.name, {}, {}});
  for (const rules::Line &l : impl.engine.rules().lines) impl.stats.lines.push_back({l.name, {}, {}});
}

void find_tracks(Impl &impl, GstBuffer *buffer) {
  impl.tracks.clear();
  impl.subjects.clear();
  tracks_on(buffer, impl.tracks);
  const auto name = [](GQuark type) {
    const gchar *s = g_quark_to_string(type);
    return std::string_view(s ? s : "");
  };
  for (const TrackOnFrame &t : impl.tracks) impl.subjects.push_back({t.object, name(t.type), t.label});
  impl.ghosts_found.clear();
  impl.ghosts.clear();
  ghosts_on(buffer, impl.ghosts_found);
  for (const GhostOnFrame &g : impl.ghosts_found) impl.ghosts.push_back({g.box, name(g.type)});
}

// The base class asks the next element of no element that works in place.
void ask_downstream(GstBaseTransform *trans, Impl &impl) {
  if (!impl.downstream_changed.exchange(false)) return;
  impl.downstream_composes = false;
  GstPad *src = GST_BASE_TRANSFORM_SRC_PAD(trans);
  GstCaps *caps = gst_pad_get_current_caps(src);
  if (!caps) return;
  GstQuery *query = gst_query_new_allocation(caps, FALSE);
  impl.downstream_composes =
      gst_pad_peer_query(src, query) &&
      gst_query_find_allocation_meta(query, GST_VIDEO_OVERLAY_COMPOSITION_META_API_TYPE, nullptr);
  gst_query_unref(query);
  gst_caps_unref(caps);
}

void draw(GstBaseTransform *trans, Impl &impl, GstBuffer *buffer) {
  impl.drawing.step(impl.engine, impl.tracks, impl.place.seconds, impl.place.width, impl.place.height);
  if (impl.drawable && impl.drawing.blend(buffer, impl.place.info)) return;
  ask_downstream(trans, impl);
  if (impl.downstream_composes) {
    impl.drawing.attach(buffer);
    return;
  }
  if (impl.told_no_drawing) return;
  impl.told_no_drawing = true;
  post_warning(
      GST_ELEMENT(trans),
      Error(
          Error::Kind::bad_setting,
          "draw=true, but these frames cannot be drawn on: they are not in system memory, or not writable, "
          "and "
          "the next element takes no overlay compositions; put a download before, or an element that does"));
}

// Who was there leaves at the time that was.
void all_leave(GstBaseTransform *trans, Impl &impl) {
  bool wanted = false;
  {
    const std::lock_guard lock(impl.mutex);
    wanted = impl.settings.reports.post_messages;
  }
  impl.engine.finish();
  post_events(GST_ELEMENT(trans), impl, wanted, impl.place.last_time);
  impl.drawing.forget();
}

GstFlowReturn transform_ip(GstBaseTransform *trans, GstBuffer *buffer) {
  return guard(trans, GST_FLOW_ERROR, [&] {
    Impl &impl = impl_of(trans);
    take_rules(GST_ELEMENT(trans), impl, false);
    Settings settings;
    {
      const std::lock_guard lock(impl.mutex);
      settings.engine = impl.settings.engine;
      settings.reports = impl.settings.reports;
    }
    const FrameTime time = frame_time(trans->segment, buffer);
    const double seconds = seconds_of(impl.place.info, time, impl.place.seconds);
    impl.engine.set(settings.engine);
    if (seconds < impl.place.seconds) all_leave(trans, impl);
    impl.place.seconds = seconds;
    impl.place.last_time = time;
    if (impl.place.passes_by(buffer, time)) return GST_FLOW_OK;
    find_tracks(impl, buffer);
    impl.engine.step(impl.subjects, impl.place.seconds, impl.ghosts);
    {
      const std::lock_guard lock(impl.mutex);
      impl.stats.frames++;
      impl.stats.tracks = impl.subjects.size();
    }
    post_events(GST_ELEMENT(trans), impl, settings.reports.post_messages, time);
    attach_events(impl, buffer);
    if (settings.reports.draw) draw(trans, impl, buffer);
    return GST_FLOW_OK;
  });
}

gboolean set_caps(GstBaseTransform *trans, GstCaps *in, GstCaps *) {
  return guard(trans, FALSE, [&] {
    Impl &impl = impl_of(trans);
    const bool changed = impl.place.set_caps(in);
    const bool system =
        gst_caps_features_is_equal(gst_caps_get_features(in, 0), GST_CAPS_FEATURES_MEMORY_SYSTEM_MEMORY);
    impl.drawable = system && impl.place.info.finfo;
    impl.told_no_drawing = false;
    impl.downstream_changed = true;
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
  if (GST_EVENT_TYPE(event) == GST_EVENT_RECONFIGURE) impl_of(trans).downstream_changed = true;
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
