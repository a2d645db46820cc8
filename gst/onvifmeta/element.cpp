// SPDX-License-Identifier: LGPL-2.1-or-later
// The element onvifmeta: frames with tracks and events in, ONVIF's metadata stream (gst/metadata/onvif.h)
// out. Pictures go no further than this element.
#include "gst/elements.h"
#include "gst/errors.h"
#include "gst/metadata/onvif.h"
#include "gst/metadata/results.h"
#include "gst/metadata/rule_meta.h"
#include "gst/properties.h"
#include "gst/transform/any_frames.h"
#include "gst/video/gst_ptr.h"

#include "common/error.h"

#include <mutex>
#include <optional>
#include <string>
#include <utility>

GST_DEBUG_CATEGORY_STATIC(onvif_meta_debug);
#define GST_CAT_DEFAULT onvif_meta_debug

using namespace vigil;
using namespace vigil::gst;

namespace vigil::gst::onvifmeta {

constexpr const char *media_type = "application/x-onvif-metadata";

struct Settings {
  std::string video_source, start_time;
};

struct Impl {
  // Held for moments, by any thread.
  std::mutex mutex;
  Settings settings;
  std::optional<gint64> start_utc; // ns since 1970: settings.start_time, where it is a time

  // The streaming thread's own.
  GstSegment segment;
  StreamPosition place;
  GstClockTime last_running = GST_CLOCK_TIME_NONE; // of the last document
  gint64 last_utc = 0;
  bool had_objects = false; // on the last frame
};

} // namespace vigil::gst::onvifmeta

using namespace vigil::gst::onvifmeta;

struct GstOnvifMeta {
  GstElement parent;
  GstPad *sink, *src;
  Impl *impl;
};
struct GstOnvifMetaClass {
  GstElementClass parent_class;
};
G_DEFINE_TYPE_WITH_CODE(GstOnvifMeta, gst_onvif_meta, GST_TYPE_ELEMENT,
                        G_IMPLEMENT_INTERFACE(GST_TYPE_PRESET, nullptr))

namespace vigil::gst::onvifmeta {
namespace {

GstStaticPadTemplate sink_template =
    GST_STATIC_PAD_TEMPLATE("sink", GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS_ANY);
GstStaticPadTemplate src_template =
    GST_STATIC_PAD_TEMPLATE("src", GST_PAD_SRC, GST_PAD_ALWAYS,
                            GST_STATIC_CAPS("application/x-onvif-metadata, parsed=(boolean)true"));

GstOnvifMeta *self_of(gpointer object) {
  return static_cast<GstOnvifMeta *>(object);
}

const Properties<Settings> &properties() {
  static const Properties<Settings> all = [] {
    Properties<Settings> p;
    p.string("video-source", "Video source",
             "Token of the video source, which events name as their item VideoSource. None: vigil",
             &Settings::video_source, Change::playing);
    p.string("start-time", "Start time",
             "UTC of stream time 0, such as 2026-11-26T08:00:00Z, for files. None: what the frames' "
             "GstReferenceTimestampMeta says, otherwise the system's clock",
             &Settings::start_time, Change::playing);
    return p;
  }();
  return all;
}

std::optional<gint64> utc_of_text(const std::string &text) {
  GTimeZone *utc = g_time_zone_new_utc();
  GDateTime *time = g_date_time_new_from_iso8601(text.c_str(), utc);
  g_time_zone_unref(utc);
  if (!time) return std::nullopt;
  const gint64 out = g_date_time_to_unix(time) * gint64{GST_SECOND} +
                     g_date_time_get_microsecond(time) * gint64{GST_USECOND};
  g_date_time_unref(time);
  return out;
}

std::optional<gint64> utc_of_meta(GstBuffer *buffer) {
  static GstStaticCaps unix_caps = GST_STATIC_CAPS("timestamp/x-unix"),
                       ntp_caps = GST_STATIC_CAPS("timestamp/x-ntp");
  constexpr gint64 unix_of_ntp = 2'208'988'800; // seconds from 1900 to 1970
  const auto read = [&](GstStaticCaps &of, gint64 less) -> std::optional<gint64> {
    GstCaps *caps = gst_static_caps_get(&of);
    const auto *meta = gst_buffer_get_reference_timestamp_meta(buffer, caps);
    gst_caps_unref(caps);
    if (!meta || !GST_CLOCK_TIME_IS_VALID(meta->timestamp)) return std::nullopt;
    return static_cast<gint64>(meta->timestamp) - less * gint64{GST_SECOND};
  };
  if (const auto t = read(unix_caps, 0)) return t;
  return read(ntp_caps, unix_of_ntp);
}

// How long ago the frame was due, by the pipeline's clock.
GstClockTimeDiff age_of(GstElement *element, const FrameTime &time) {
  GstClock *clock = gst_element_get_clock(element);
  if (!clock) return 0;
  const GstClockTime now = gst_clock_get_time(clock), base = gst_element_get_base_time(element);
  gst_object_unref(clock);
  if (!GST_CLOCK_TIME_IS_VALID(time.running) || now < base) return 0;
  return GST_CLOCK_DIFF(time.running, now - base);
}

gint64 utc_of(GstOnvifMeta *self, GstBuffer *buffer, const FrameTime &time) {
  Impl &impl = *self->impl;
  std::optional<gint64> start;
  {
    const std::lock_guard lock(impl.mutex);
    start = impl.start_utc;
  }
  if (start) return *start + (GST_CLOCK_TIME_IS_VALID(time.stream) ? static_cast<gint64>(time.stream) : 0);
  if (const auto t = utc_of_meta(buffer)) return *t;
  return g_get_real_time() * gint64{GST_USECOND} - age_of(GST_ELEMENT(self), time);
}

OnvifFrame frame_of(Impl &impl, const FrameTime &time, gint64 utc) {
  OnvifFrame out;
  out.utc = utc;
  out.timestamp = time.timestamp;
  out.width = impl.place.width;
  out.height = impl.place.height;
  const std::lock_guard lock(impl.mutex);
  out.video_source = impl.settings.video_source.empty() ? "vigil" : impl.settings.video_source;
  return out;
}

GstFlowReturn push(GstOnvifMeta *self, const std::string &document, const FrameTime &time) {
  GstBuffer *out = gst_buffer_new_memdup(document.data(), document.size());
  GST_BUFFER_PTS(out) = time.timestamp;
  GST_BUFFER_DURATION(out) = time.duration;
  return gst_pad_push(self->src, out);
}

// Readers learn from a frame without objects that those of before are gone, and once a second that the stream
// goes on.
bool is_due(Impl &impl, const OnvifFrame &frame, const FrameTime &time) {
  const bool has_objects = !frame.objects.empty();
  const bool changed = std::exchange(impl.had_objects, has_objects) || has_objects;
  const bool quiet = GST_CLOCK_TIME_IS_VALID(impl.last_running) && GST_CLOCK_TIME_IS_VALID(time.running) &&
                     time.running >= impl.last_running && time.running < impl.last_running + GST_SECOND;
  return changed || !frame.events.empty() || !quiet;
}

GstFlowReturn chain(GstPad *, GstObject *parent, GstBuffer *in) {
  const BufferPtr buffer(in);
  return guard(parent, GST_FLOW_ERROR, [&] {
    GstOnvifMeta *self = self_of(parent);
    Impl &impl = *self->impl;
    if (impl.place.width <= 0 || impl.place.height <= 0) return refuse_without_caps(GST_ELEMENT(parent));
    const FrameTime time = frame_time(impl.segment, in);
    impl.place.last_time = time;
    OnvifFrame frame = frame_of(impl, time, utc_of(self, in, time));
    impl.last_utc = frame.utc;
    frame.objects = onvif_objects_on(in);
    frame.events = rule_events_on(in);
    if (!is_due(impl, frame, time)) return GST_FLOW_OK;
    impl.last_running = time.running;
    return push(self, onvif_document(frame, true), time);
  });
}

// The caps of frames become those of documents.
gboolean set_caps(GstOnvifMeta *self, GstEvent *event) {
  GstCaps *in = nullptr;
  gst_event_parse_caps(event, &in);
  self->impl->place.set_caps(in);
  if (self->impl->place.width <= 0 || self->impl->place.height <= 0)
    fail(Error::Kind::bad_setting, "the caps of the frames say no width and height of the picture, which "
                                   "places need: put a capsfilter or a parser before");
  GstCaps *out = gst_caps_new_simple(media_type, "parsed", G_TYPE_BOOLEAN, TRUE, nullptr);
  const gboolean taken = gst_pad_push_event(self->src, gst_event_new_caps(out));
  gst_caps_unref(out);
  return taken;
}

// Events that have no frame are a document of their own.
gboolean push_events(GstOnvifMeta *self, GstEvent *event) {
  Impl &impl = *self->impl;
  const FrameTime time = impl.place.last_time;
  OnvifFrame frame = frame_of(impl, time, impl.last_utc);
  frame.events = rule_events_of(event);
  return push(self, onvif_document(frame, false), time) == GST_FLOW_OK;
}

gboolean sink_event(GstPad *pad, GstObject *parent, GstEvent *event) {
  GstOnvifMeta *self = self_of(parent);
  Impl &impl = *self->impl;
  switch (GST_EVENT_TYPE(event)) {
  case GST_EVENT_CAPS: {
    const gboolean taken = guard(parent, FALSE, [&] { return set_caps(self, event); });
    gst_event_unref(event);
    return taken;
  }
  case GST_EVENT_SEGMENT:
    gst_event_copy_segment(event, &impl.segment);
    break;
  case GST_EVENT_FLUSH_STOP:
    gst_segment_init(&impl.segment, GST_FORMAT_UNDEFINED);
    impl.last_running = GST_CLOCK_TIME_NONE;
    break;
  default:
    if (impl.place.width > 0 && !rule_events_of(event).empty()) {
      const gboolean taken = guard(parent, FALSE, [&] { return push_events(self, event); });
      gst_event_unref(event);
      return taken;
    }
  }
  return gst_pad_event_default(pad, parent, event);
}

GstStateChangeReturn change_state(GstElement *element, GstStateChange transition) {
  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED) {
    Impl &impl = *self_of(element)->impl;
    gst_segment_init(&impl.segment, GST_FORMAT_UNDEFINED);
    impl.place = {};
    impl.last_running = GST_CLOCK_TIME_NONE;
    impl.had_objects = false;
  }
  return GST_ELEMENT_CLASS(gst_onvif_meta_parent_class)->change_state(element, transition);
}

void set_property(GObject *object, guint id, const GValue *value, GParamSpec *pspec) {
  Impl &impl = *self_of(object)->impl;
  bool known = false, wrong = false;
  std::string start;
  {
    const std::lock_guard lock(impl.mutex);
    known = properties().set(impl.settings, id, value);
    start = impl.settings.start_time;
    impl.start_utc = start.empty() ? std::nullopt : utc_of_text(start);
    wrong = !start.empty() && !impl.start_utc;
  }
  if (!known) G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, pspec);
  if (wrong && id == properties().id_of("start-time"))
    post_warning(GST_ELEMENT_CAST(object),
                 Error(Error::Kind::bad_setting, text("start-time=\"", start,
                                                      "\" is no time, so it counts as none; a time is "
                                                      "2026-11-26T08:00:00Z")));
}

void get_property(GObject *object, guint id, GValue *value, GParamSpec *pspec) {
  Impl &impl = *self_of(object)->impl;
  const std::lock_guard lock(impl.mutex);
  if (!properties().get(impl.settings, id, value)) G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, pspec);
}

void finalize(GObject *object) {
  delete self_of(object)->impl;
  G_OBJECT_CLASS(gst_onvif_meta_parent_class)->finalize(object);
}

} // namespace
} // namespace vigil::gst::onvifmeta

static void gst_onvif_meta_init(GstOnvifMeta *self) {
  self->impl = new Impl;
  gst_segment_init(&self->impl->segment, GST_FORMAT_UNDEFINED);
  self->sink = gst_pad_new_from_static_template(&sink_template, "sink");
  gst_pad_set_chain_function(self->sink, onvifmeta::chain);
  gst_pad_set_event_function(self->sink, sink_event);
  gst_element_add_pad(GST_ELEMENT(self), self->sink);
  self->src = gst_pad_new_from_static_template(&src_template, "src");
  gst_pad_use_fixed_caps(self->src);
  gst_element_add_pad(GST_ELEMENT(self), self->src);
}

static void gst_onvif_meta_class_init(GstOnvifMetaClass *klass) {
  GST_DEBUG_CATEGORY_INIT(onvif_meta_debug, "onvifmeta", 0, "Tracks and events as ONVIF metadata");
  auto *object = G_OBJECT_CLASS(klass);
  object->set_property = onvifmeta::set_property;
  object->get_property = onvifmeta::get_property;
  object->finalize = onvifmeta::finalize;
  properties().install(object);
  auto *element = GST_ELEMENT_CLASS(klass);
  element->change_state = onvifmeta::change_state;
  gst_element_class_add_static_pad_template(element, &sink_template);
  gst_element_class_add_static_pad_template(element, &src_template);
  gst_element_class_set_static_metadata(
      element, "Tracks and events as ONVIF metadata", "Filter/Analyzer/Metadata",
      "Writes tracks, their labels and the events of rules as ONVIF's metadata stream (XML); needs no pixels",
      VIGIL_AUTHORS);
}

GST_ELEMENT_REGISTER_DEFINE(onvifmeta, "onvifmeta", GST_RANK_NONE, gst_onvif_meta_get_type())
