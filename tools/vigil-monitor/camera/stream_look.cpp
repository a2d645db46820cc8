// SPDX-License-Identifier: LGPL-2.1-or-later
#include "stream_look.h"

#include "../printable.h"
#include "common/error.h"
#include "common/guarded.h"
#include "gst/video/gst_ptr.h"
#include "record_pipeline.h"
#include "reduction.h"
#include "source.h"
#include "tools/base/mapped.h"
#include "tools/base/pipeline.h"

#include <algorithm>
#include <cmath>
#include <gst/app/gstappsink.h>
#include <gst/pbutils/pbutils.h>
#include <optional>
#include <string_view>
#include <utility>

namespace vigil::monitor {
namespace {

constexpr int picture_lines = 270;

// video/x-h264 -> h264
std::string short_codec(const std::string &caps) {
  if (caps == "video/x-raw") return "raw";
  std::string out = caps.substr(caps.find('/') + 1);
  if (out.starts_with("x-")) out.erase(0, 2);
  return printable(out, most_said);
}

StreamEvents events_for(const std::shared_ptr<StreamObserver> &observer) {
  StreamEvents e;
  e.record_caps = [](GstCaps *) {};
  e.record_frame = [](GstBuffer *, double) {};
  e.sound = [observer](SoundForm form, GstCaps *caps, GstBuffer *, double) {
    if (form == SoundForm::sent) observer->sound(sound_codec_of(caps));
  };
  e.message = [observer](GstMessage *m, double) {
    if (!gst_is_missing_plugin_message(m)) return;
    const gst::TextPtr what(gst_missing_plugin_message_get_description(m));
    observer->explain(text("nothing here decodes this stream; GStreamer lacks: ",
                           printable(what ? what.get() : "a plugin", most_said)));
  };
  e.failed = e.ended = [observer](const std::string &why) { observer->ended(why); };
  e.warning = [observer](const std::string &words) { observer->warning(words); };
  return e;
}

} // namespace

struct StreamLook::Callbacks {
  static StreamLook &self(gpointer user) { return *static_cast<StreamLook *>(user); }

  // Values of GstAutoplugSelectResult, which no header has.
  enum { try_it, expose, skip };
  static gint select(GstElement *, GstPad *, GstCaps *, GstElementFactory *factory, gpointer user) {
    const std::string_view kind = gst_element_factory_get_metadata(factory, GST_ELEMENT_METADATA_KLASS);
    const bool lists = kind.find("Demuxer") != kind.npos &&
                       (kind.find("Adaptive") != kind.npos || kind.find("Network") != kind.npos);
    if (!lists) return try_it;
    self(user).observer_->explain("the address has a list of other addresses (HLS, DASH or SDP); they are "
                                  "not opened: give the address of the stream itself");
    return skip;
  }

  static GstPadProbeReturn frame(GstPad *pad, GstPadProbeInfo *info, gpointer user) {
    StreamLook &look = self(user);
    look.count(pad, GST_PAD_PROBE_INFO_BUFFER(info));
    // Nothing is decoded before a key frame, and nothing when there is a picture.
    return look.observer_->begun() && !look.observer_->has_picture() ? GST_PAD_PROBE_OK : GST_PAD_PROBE_DROP;
  }

  static GstPadProbeReturn format(GstPad *, GstPadProbeInfo *info, gpointer user) {
    GstEvent *event = GST_PAD_PROBE_INFO_EVENT(info);
    if (GST_EVENT_TYPE(event) != GST_EVENT_CAPS) return GST_PAD_PROBE_OK;
    GstCaps *caps = nullptr;
    gst_event_parse_caps(event, &caps);
    const GstStructure *s = gst_caps_get_structure(caps, 0);
    int width = 0, height = 0;
    gst_structure_get_int(s, "width", &width);
    gst_structure_get_int(s, "height", &height);
    self(user).observer_->format(short_codec(gst_structure_get_name(s)), width, height);
    return GST_PAD_PROBE_OK;
  }

  // The scaler is linked, and has no size yet.
  static GstPadProbeReturn size(GstPad *, GstPadProbeInfo *info, gpointer filter) {
    GstEvent *event = GST_PAD_PROBE_INFO_EVENT(info);
    if (GST_EVENT_TYPE(event) != GST_EVENT_CAPS) return GST_PAD_PROBE_OK;
    GstCaps *caps = nullptr;
    gst_event_parse_caps(event, &caps);
    GstVideoInfo video;
    if (!gst_video_info_from_caps(&video, caps) || video.height <= 0) return GST_PAD_PROBE_OK;
    const gst::CapsPtr wanted(reduced_caps(video, std::min(picture_lines, video.height)));
    g_object_set(filter, "caps", wanted.get(), nullptr);
    return GST_PAD_PROBE_OK;
  }

  static void decoded(GstElement *, GstPad *pad, gpointer user) {
    try {
      self(user).link_pictures(pad);
    } catch (const std::exception &e) {
      GST_ELEMENT_ERROR(self(user).pipeline_, LIBRARY, INIT, ("%s", e.what()), (nullptr));
    }
  }

  static GstFlowReturn picture(GstAppSink *sink, gpointer user) {
    const gst::SamplePtr sample(gst_app_sink_pull_sample(sink));
    GstBuffer *buffer = sample ? gst_sample_get_buffer(sample.get()) : nullptr;
    const tools::MappedBuffer map(buffer);
    if (!map) return GST_FLOW_OK;
    StreamLook &look = self(user);
    look.frames_.out++;
    look.observer_->picture(std::make_shared<const std::string>(map.bytes()));
    return GST_FLOW_OK;
  }
};

StreamLook::StreamLook(const CameraConfig &config, std::shared_ptr<StreamObserver> observer,
                       tools::SharedContexts &contexts, const Utc &utc)
    : StreamPipeline(config, "look", config.source, true, events_for(observer), contexts, utc),
      observer_(std::move(observer)) {
  const gst::ObjectPtr<GstElement> parse(gst_bin_get_by_name(GST_BIN(pipeline_), source_parser));
  g_signal_connect(parse.get(), "autoplug-select", G_CALLBACK((guarded<Callbacks::select, 0>)), this);
}

StreamLook::~StreamLook() {
  take_down();
}

void StreamLook::count(GstPad *pad, GstBuffer *buffer) {
  frames_.in++;
  // In the order of decoding, where the stream says it.
  const GstClockTime t = GST_BUFFER_DTS_IS_VALID(buffer) ? GST_BUFFER_DTS(buffer) : GST_BUFFER_PTS(buffer);
  GstBuffer *timed = gst_buffer_new();
  GST_BUFFER_PTS(timed) = t;
  const GstClockTime running = running_time(pad, timed);
  gst_buffer_unref(timed);
  const double now = Utc::monotonic_seconds();
  std::optional<double> decoded;
  if (GST_CLOCK_TIME_IS_VALID(running)) decoded = static_cast<double>(running) / 1e9;
  observer_->frame(!GST_BUFFER_FLAG_IS_SET(buffer, GST_BUFFER_FLAG_DELTA_UNIT), decoded, now);
}

void StreamLook::link(GstPad *pad, const std::string &caps) {
  const bool raw = caps == "video/x-raw";
  const StoredFormat *whole = stored_format(caps);
  GstElement *first = add(whole ? whole->parser : "identity"), *filter = add("capsfilter"),
             *last = add(raw ? "identity" : "decodebin");
  if (whole) {
    const gst::CapsPtr units(gst_caps_from_string(whole->caps));
    g_object_set(filter, "caps", units.get(), nullptr);
  }
  tools::link({first, filter, last});
  const gst::ObjectPtr<GstPad> frames(gst_element_get_static_pad(filter, "src"));
  gst_pad_add_probe(frames.get(), GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM,
                    guarded<Callbacks::format, GST_PAD_PROBE_OK>, this, nullptr);
  gst_pad_add_probe(frames.get(), GST_PAD_PROBE_TYPE_BUFFER, guarded<Callbacks::frame, GST_PAD_PROBE_OK>,
                    this, nullptr);
  if (raw) {
    const gst::ObjectPtr<GstPad> pictures(gst_element_get_static_pad(last, "src"));
    link_pictures(pictures.get());
  } else {
    // Pictures that a decoder leaves on a GPU would have to be fetched from there.
    g_object_set(last, "async-handling", TRUE, "force-sw-decoders", TRUE, nullptr);
    g_signal_connect(last, "pad-added", G_CALLBACK(guarded<Callbacks::decoded>), this);
  }
  for (GstElement *e : {last, filter, first}) gst_element_sync_state_with_parent(e);
  const gst::ObjectPtr<GstPad> in(gst_element_get_static_pad(first, "sink"));
  gst_pad_link(prepared(pad, caps), in.get());
}

void StreamLook::link_pictures(GstPad *pad) {
  size_guard_.watch_caps(pad);
  GstElement *convert = add("videoconvert"), *scale = add("videoscale"), *filter = add("capsfilter"),
             *encode = add("jpegenc"), *sink = add("appsink");
  g_object_set(scale, "add-borders", FALSE, nullptr);
  g_object_set(sink, "sync", FALSE, "async", FALSE, "max-buffers", 1u, "drop", TRUE, nullptr);
  GstAppSinkCallbacks callbacks{};
  callbacks.new_sample = guarded<Callbacks::picture, GST_FLOW_ERROR>;
  gst_app_sink_set_callbacks(GST_APP_SINK(sink), &callbacks, this, nullptr);
  tools::link({convert, scale, filter, encode, sink});
  gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, guarded<Callbacks::size, GST_PAD_PROBE_OK>,
                    filter, nullptr);
  for (GstElement *e : {sink, encode, filter, scale, convert}) gst_element_sync_state_with_parent(e);
  const gst::ObjectPtr<GstPad> in(gst_element_get_static_pad(convert, "sink"));
  gst_pad_link(pad, in.get());
}

} // namespace vigil::monitor
