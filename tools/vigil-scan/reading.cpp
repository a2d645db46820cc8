// SPDX-License-Identifier: LGPL-2.1-or-later
#include "reading.h"

#include "common/error.h"
#include "tools/base/iterate.h"
#include "tools/base/video_track.h"

#include <algorithm>
#include <cstring>
#include <gst/video/video.h>
#include <string_view>
#include <vector>

namespace vigil::scan {

GstElement *parse_chain(const std::string &elements) {
  GError *error = nullptr;
  GstElement *bin = gst_parse_bin_from_description(elements.c_str(), TRUE, &error);
  const gst::ErrorPtr owner(error);
  if (error) {
    if (bin) gst_object_unref(gst_object_ref_sink(bin));
    fail(Error::Kind::bad_setting, "--chain ", elements, ": ", error->message);
  }
  const gst::ObjectPtr<GstPad> in(gst_element_get_static_pad(bin, "sink")),
      out(gst_element_get_static_pad(bin, "src"));
  if (!in || !out) {
    gst_object_unref(gst_object_ref_sink(bin));
    fail(Error::Kind::bad_setting, "--chain ", elements,
         ": frames must go in at its begin and come out at its end; leave sources and sinks away");
  }
  return bin;
}

GstElement *make_fisher(const std::string &model) {
  GstElement *e = tools::make_element("gpufisher");
  // Frames that are held would be lost where a part is broken off at its end.
  g_object_set(e, "model-location", model.c_str(), "attach-vector", TRUE, "post-messages", FALSE,
               "async-depth", 0, nullptr);
  return e;
}

Reading::Reading(const char *opener, const std::string &path, const std::string &chain,
                 const std::string &model, Listener *listener, tools::SharedContexts *contexts)
    : listener_(listener), contexts_(contexts), with_vectors_(!model.empty()) {
  GstElement *source = pipeline_.add(tools::make_element("filesrc"));
  decoder_ = pipeline_.add(tools::make_element(opener));
  gate_ = pipeline_.add(tools::make_element("identity"));
  g_object_set(source, "location", path.c_str(), nullptr);
  g_object_set(gate_, "silent", TRUE, nullptr);
  GstElement *last = gate_;
  const auto append = [&](GstElement *e) {
    pipeline_.add(e);
    tools::link({last, e});
    last = e;
  };
  const auto probe = [&](GstElement *e, GstPadProbeType type, GstPadProbeCallback f) {
    const gst::ObjectPtr<GstPad> pad(gst_element_get_static_pad(e, "src"));
    return gst_pad_add_probe(pad.get(), type, f, this, nullptr);
  };
  if (!chain.empty()) append(chain_ = parse_chain(chain));
  if (listener_) probe(last, GST_PAD_PROBE_TYPE_BUFFER, on_frame);
  if (with_vectors_) {
    append(make_fisher(model));
    if (listener_) probe(last, GST_PAD_PROBE_TYPE_BUFFER, on_scored);
  }
  GstElement *sink = tools::make_element("fakesink");
  g_object_set(sink, "sync", FALSE, "async", FALSE, "qos", FALSE, nullptr);
  append(sink);
  block_ = probe(gate_, static_cast<GstPadProbeType>(GST_PAD_PROBE_TYPE_BLOCK | GST_PAD_PROBE_TYPE_BUFFER),
                 on_gate);
  if (listener_) {
    const gst::ObjectPtr<GstPad> in(gst_element_get_static_pad(gate_, "sink"));
    gst_pad_add_probe(in.get(), GST_PAD_PROBE_TYPE_BUFFER, on_time, this, nullptr);
  }
  tools::link({source, decoder_});
  if (!std::strcmp(opener, "parsebin")) g_signal_connect(decoder_, "pad-added", G_CALLBACK(pad_added), this);
  g_signal_connect(decoder_, "no-more-pads", G_CALLBACK(no_more_pads), this);
  const gst::ObjectPtr<GstBus> bus(gst_element_get_bus(pipeline_.element()));
  gst_bus_set_sync_handler(bus.get(), on_message, this, nullptr);
}

// Before the listener goes. Nothing that an element still holds may reach it afterwards.
Reading::~Reading() {
  gst_element_set_state(pipeline_.element(), GST_STATE_NULL);
  const gst::ObjectPtr<GstBus> bus(gst_element_get_bus(pipeline_.element()));
  gst_bus_set_sync_handler(bus.get(), nullptr, nullptr, nullptr);
}

// An exception must not go through GStreamer: it becomes an error of the file.
template <class Result, class F>
Result Reading::careful(Result otherwise, F f) noexcept {
  try {
    return f();
  } catch (const std::exception &e) {
    GST_ELEMENT_ERROR(gate_, LIBRARY, FAILED, ("%s", e.what()), (nullptr));
  }
  return otherwise;
}

namespace {

bool is_interlaced(const GstStructure *s) {
  const char *mode = gst_structure_get_string(s, "interlace-mode");
  return gst_structure_has_name(s, "video/x-raw") && mode && std::string_view(mode) != "progressive";
}

// How pictures have to be turned to be upright, by the tag of the stream or of the file. It has come to the
// decoder, which sends it on with the first frame.
GstVideoOrientationMethod orientation_of(GstPad *pad) {
  const auto before = tools::before_decoder(pad);
  GstVideoOrientationMethod method = GST_VIDEO_ORIENTATION_IDENTITY;
  for (guint i = 0;
       GstEvent *event = before ? gst_pad_get_sticky_event(before.get(), GST_EVENT_TAG, i) : nullptr; i++) {
    GstTagList *tags = nullptr;
    gst_event_parse_tag(event, &tags);
    GstVideoOrientationMethod found = GST_VIDEO_ORIENTATION_IDENTITY;
    if (gst_video_orientation_from_tag(tags, &found)) method = found;
    gst_event_unref(event);
  }
  return method;
}

} // namespace

// The chain takes what the decoder gives where it can, also frames on a GPU. Whether it can is asked for the
// caps that the pad has: a decoder's pad itself answers with all that it could give for any file.
void Reading::link_video(GstPad *pad) {
  const gst::ObjectPtr<GstPad> sink(gst_element_get_static_pad(gate_, "sink"));
  gst::CapsPtr caps(gst_pad_get_current_caps(pad));
  if (!caps) caps.reset(gst_pad_query_caps(pad, nullptr));
  const GstStructure *s = gst_caps_get_structure(caps.get(), 0);
  const bool raw = gst_structure_has_name(s, "video/x-raw"), interlaced = is_interlaced(s);
  const auto turn = raw ? orientation_of(pad) : GST_VIDEO_ORIENTATION_IDENTITY;
  const gst::CapsPtr taken(gst_pad_query_caps(sink.get(), nullptr));
  const bool fits = gst_caps_can_intersect(caps.get(), taken.get());
  if (fits && !interlaced && turn == GST_VIDEO_ORIENTATION_IDENTITY &&
      gst_pad_link(pad, sink.get()) == GST_PAD_LINK_OK)
    return;
  std::vector<GstElement *> front;
  const auto add = [&](const char *factory) {
    front.push_back(pipeline_.add(tools::make_element(factory)));
    return front.back();
  };
  add("videoconvert"); // what follows takes fewer formats than decoders give
  if (interlaced)      // one picture of two fields: twice as many would cost twice the time
    gst_util_set_object_arg(G_OBJECT(add("deinterlace")), "fields", "top");
  if (turn != GST_VIDEO_ORIENTATION_IDENTITY) // behind deinterlace: lines of a turned picture are no fields
    g_object_set(add("videoflip"), "video-direction", turn, nullptr);
  if (front.size() > 1) add("videoconvert");
  for (std::size_t i = 0; i + 1 < front.size(); i++) tools::link({front[i], front[i + 1]});
  tools::link({front.back(), gate_});
  for (auto e = front.rbegin(); e != front.rend(); ++e) gst_element_sync_state_with_parent(*e);
  const gst::ObjectPtr<GstPad> in(gst_element_get_static_pad(front.front(), "sink"));
  gst_pad_link(pad, in.get());
}

// Frames flow from a pad of parsebin before it says that no more pads come. To ask for the length any track
// of pictures does.
void Reading::pad_added(GstElement *, GstPad *pad, gpointer user) {
  const auto &self = *static_cast<Reading *>(user);
  const gst::ObjectPtr<GstPad> sink(gst_element_get_static_pad(self.gate_, "sink"));
  if (!gst_pad_is_linked(sink.get()) && tools::gives_pictures(pad)) gst_pad_link(pad, sink.get());
}

void Reading::no_more_pads(GstElement *decoder, gpointer user) {
  auto &self = *static_cast<Reading *>(user);
  const gst::ObjectPtr<GstPad> sink(gst_element_get_static_pad(self.gate_, "sink"));
  if (gst_pad_is_linked(sink.get())) return;
  try {
    if (const auto pad = tools::best_video_pad(decoder)) self.link_video(pad.get());
  } catch (const std::exception &e) { // an exception must not go through GStreamer
    GST_ELEMENT_ERROR(decoder, CORE, MISSING_PLUGIN, ("%s", e.what()), (nullptr));
    return;
  }
  if (!gst_pad_is_linked(sink.get()))
    GST_ELEMENT_ERROR(decoder, STREAM, WRONG_TYPE, ("there is no video in the file that the chain takes"),
                      (nullptr));
}

bool Reading::is_of_chain(GstObject *source) const {
  return chain_ && source &&
         (source == GST_OBJECT(chain_) || gst_object_has_as_ancestor(source, GST_OBJECT(chain_)));
}

// The times of a transport or program stream begin with its first clock reference, which comes before the
// first picture. Players count from the first picture.
bool Reading::counts_from_first_picture() const {
  for (const char *demultiplexer : {"tsdemux", "mpegpsdemux"})
    if (!tools::all_of<GstElement>(
             gst_bin_iterate_all_by_element_factory_name(GST_BIN(decoder_), demultiplexer))
             .empty())
      return true;
  return false;
}

GstPadProbeReturn Reading::on_time(GstPad *pad, GstPadProbeInfo *info, gpointer user) {
  auto &self = *static_cast<Reading *>(user);
  return self.careful(GST_PAD_PROBE_DROP, [&] { return self.mend_time(pad, info); });
}

GstPadProbeReturn Reading::mend_time(GstPad *pad, GstPadProbeInfo *info) {
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER(info);
  const Time time = stream_time(pad, buffer);
  Time mended = time;
  {
    const std::lock_guard lock(times_mutex_);
    constexpr Time most = 3 * second; // later, the picture begins later than the sound
    if (!origin_) origin_ = counts_from_first_picture() && time > 0 && time < most ? time : 0;
    mended = times_.next(time < 0 ? time : time - *origin_);
  }
  if (mended == time) return GST_PAD_PROBE_OK;
  GstEvent *event = gst_pad_get_sticky_event(pad, GST_EVENT_SEGMENT, 0);
  if (!event) return GST_PAD_PROBE_OK;
  const GstSegment *segment = nullptr;
  gst_event_parse_segment(event, &segment);
  buffer = gst_buffer_make_writable(buffer);
  GST_BUFFER_PTS(buffer) =
      gst_segment_position_from_stream_time(segment, GST_FORMAT_TIME, static_cast<guint64>(mended));
  GST_PAD_PROBE_INFO_DATA(info) = buffer;
  gst_event_unref(event);
  return GST_PAD_PROBE_OK;
}

void Reading::be_strict() {
  const std::lock_guard lock(times_mutex_);
  times_.be_strict();
}

std::string Reading::damage() {
  const std::lock_guard lock(times_mutex_);
  return times_.damage();
}

GstBusSyncReply Reading::on_message(GstBus *, GstMessage *m, gpointer user) {
  auto &self = *static_cast<Reading *>(user);
  const bool of_element = GST_MESSAGE_TYPE(m) == GST_MESSAGE_ELEMENT;
  if (of_element && !self.is_of_chain(GST_MESSAGE_SRC(m))) return GST_BUS_PASS; // a demultiplexer's tables
  if (of_element)
    self.careful(0, [&] {
      if (self.listener_) self.listener_->message(gst_message_get_structure(m));
      return 0;
    });
  if (!of_element && !(self.contexts_ && self.contexts_->handle(m))) return GST_BUS_PASS;
  gst_message_unref(m);
  return GST_BUS_DROP;
}

GstPadProbeReturn Reading::on_gate(GstPad *, GstPadProbeInfo *, gpointer user) {
  auto &self = *static_cast<Reading *>(user);
  self.at_gate_ = true;
  self.wake();
  return GST_PAD_PROBE_OK; // it stays blocked
}

GstPadProbeReturn Reading::on_frame(GstPad *pad, GstPadProbeInfo *info, gpointer user) {
  auto &self = *static_cast<Reading *>(user);
  return self.careful(GST_PAD_PROBE_DROP, [&] {
    const Listener::Fate fate = self.listener_->frame(pad, GST_PAD_PROBE_INFO_BUFFER(info));
    if (self.listener_->finished()) self.wake();
    return fate == Listener::Fate::keep ? GST_PAD_PROBE_OK : GST_PAD_PROBE_DROP;
  });
}

GstPadProbeReturn Reading::on_scored(GstPad *pad, GstPadProbeInfo *info, gpointer user) {
  auto &self = *static_cast<Reading *>(user);
  return self.careful(GST_PAD_PROBE_OK, [&] {
    self.listener_->scored(pad, GST_PAD_PROBE_INFO_BUFFER(info));
    return GST_PAD_PROBE_OK;
  });
}

// A minute without a frame ends the wait.
void Reading::wait_for(const char *what, const std::function<bool()> &there) {
  constexpr GstClockTime step = 100 * GST_MSECOND;
  const gint64 patience = 60 * G_USEC_PER_SEC;
  gint64 since = g_get_monotonic_time();
  std::uint64_t seen = 0;
  while (!there()) {
    pipeline_.work_off_messages(step);
    const std::uint64_t now = listener_ ? listener_->frames_seen() : 0;
    if (now != seen) since = g_get_monotonic_time();
    seen = now;
    if (g_get_monotonic_time() - since > patience)
      fail(Error::Kind::device, "no ", what, " came for a minute");
  }
}

void Reading::open() {
  pipeline_.play();
  wait_for("first frame", [&] { return at_gate_ || pipeline_.ended(); });
  if (!at_gate_) fail(Error::Kind::bad_data, "it has no frame");
}

Time Reading::duration() {
  gint64 d = 0;
  const gst::ObjectPtr<GstPad> pad(gst_element_get_static_pad(gate_, "sink"));
  if (!gst_pad_peer_query_duration(pad.get(), GST_FORMAT_TIME, &d) || d <= 0) return 0;
  const std::lock_guard lock(times_mutex_);
  return std::max<Time>(0, d - origin_.value_or(0));
}

void Reading::run(Time from) {
  const gst::ObjectPtr<GstPad> in(gst_element_get_static_pad(gate_, "sink")),
      out(gst_element_get_static_pad(gate_, "src"));
  const Time length = duration();
  Time origin = 0;
  {
    const std::lock_guard lock(times_mutex_);
    origin = origin_.value_or(0);
    times_.set_duration(length);
  }
  if (from > 0) {
    {
      const std::lock_guard lock(times_mutex_);
      times_.begin_at(from);
    }
    GstEvent *seek = gst_event_new_seek(
        1, GST_FORMAT_TIME, static_cast<GstSeekFlags>(GST_SEEK_FLAG_FLUSH | GST_SEEK_FLAG_ACCURATE),
        GST_SEEK_TYPE_SET, from + origin, GST_SEEK_TYPE_NONE, 0);
    if (!gst_pad_push_event(in.get(), seek))
      fail(Error::Kind::bad_data, "it cannot be entered at ", from / second, " s; leave --split away for it");
  }
  gst_pad_remove_probe(out.get(), block_);
  wait_for("more frames", [&] { return pipeline_.ended() || (listener_ && listener_->finished()); });
}

} // namespace vigil::scan
