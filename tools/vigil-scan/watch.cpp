// SPDX-License-Identifier: LGPL-2.1-or-later
// filesrc ! decodebin ! [videoconvert] ! gate ! chain ! [gpufisher] ! fakesink, in one thread behind the
// decoder; parsebin takes decodebin's place where no frame is looked at. The gate holds the first frame back
// until the seek to where the part's warm-up begins was made: a model must not learn from frames that are
// not to be seen.
#include "watch.h"

#include "common/error.h"
#include "listener.h"
#include "tools/base/pipeline.h"

#include <algorithm>
#include <functional>

namespace vigil::scan {

namespace {

using tools::Pipeline;

GstElement *parse_chain(const std::string &elements) {
  GError *error = nullptr;
  GstElement *bin = gst_parse_bin_from_description(elements.c_str(), TRUE, &error);
  const tools::ErrorPtr owner(error);
  if (error) {
    if (bin) gst_object_unref(gst_object_ref_sink(bin));
    fail(Error::Kind::bad_setting, "--chain ", elements, ": ", error->message);
  }
  const tools::ObjectPtr<GstPad> in(gst_element_get_static_pad(bin, "sink")),
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

class Reading {
 public:
  // `opener` is decodebin or parsebin; `chain` and `model` may be empty.
  Reading(const char *opener, const std::string &path, const std::string &chain, const std::string &model,
          Listener *, tools::SharedContexts * = nullptr);
  ~Reading() { gst_element_set_state(pipeline_.element(), GST_STATE_NULL); } // before the listener goes
  Reading(const Reading &) = delete;
  Reading &operator=(const Reading &) = delete;

  void open();         // up to the first frame, which is held back
  Time duration();     // 0: not known
  void run(Time from); // to the end, or until the listener is finished
  bool reached_end() const { return pipeline_.ended(); }

 private:
  static void pad_added(GstElement *, GstPad *, gpointer);
  static void no_more_pads(GstElement *, gpointer);
  static GstBusSyncReply on_message(GstBus *, GstMessage *, gpointer);
  static GstPadProbeReturn on_gate(GstPad *, GstPadProbeInfo *, gpointer);
  static GstPadProbeReturn on_frame(GstPad *, GstPadProbeInfo *, gpointer);
  static GstPadProbeReturn on_scored(GstPad *, GstPadProbeInfo *, gpointer);
  void wait_for(const char *what, const std::function<bool()> &);
  void wake() const {
    gst_element_post_message(pipeline_.element(),
                             gst_message_new_application(nullptr, gst_structure_new_empty("wake")));
  }
  Pipeline pipeline_;
  Listener *listener_;
  tools::SharedContexts *contexts_;
  GstElement *gate_ = nullptr;
  gulong block_ = 0;
  std::atomic<bool> at_gate_ = false;
  const bool with_vectors_;
};

Reading::Reading(const char *opener, const std::string &path, const std::string &chain,
                 const std::string &model, Listener *listener, tools::SharedContexts *contexts)
    : listener_(listener), contexts_(contexts), with_vectors_(!model.empty()) {
  GstElement *source = pipeline_.add(tools::make_element("filesrc"));
  GstElement *decoder = pipeline_.add(tools::make_element(opener));
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
    const tools::ObjectPtr<GstPad> pad(gst_element_get_static_pad(e, "src"));
    return gst_pad_add_probe(pad.get(), type, f, this, nullptr);
  };
  if (!chain.empty()) append(parse_chain(chain));
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
  tools::link({source, decoder});
  g_signal_connect(decoder, "pad-added", G_CALLBACK(pad_added), this);
  g_signal_connect(decoder, "no-more-pads", G_CALLBACK(no_more_pads), this);
  if (listener_) {
    const tools::ObjectPtr<GstBus> bus(gst_element_get_bus(pipeline_.element()));
    gst_bus_set_sync_handler(bus.get(), on_message, this, nullptr);
  }
}

// Frames that are not decoded may be of image/jpeg.
bool has_pictures(GstPad *pad) {
  const tools::CapsPtr caps(gst_pad_query_caps(pad, nullptr));
  if (gst_caps_is_any(caps.get()) || gst_caps_get_size(caps.get()) == 0) return false;
  const gchar *name = gst_structure_get_name(gst_caps_get_structure(caps.get(), 0));
  return g_str_has_prefix(name, "video/") || g_str_has_prefix(name, "image/");
}

// The chain takes what the decoder gives where it can, also frames on a GPU; otherwise they are converted.
void Reading::pad_added(GstElement *, GstPad *pad, gpointer user) {
  auto &self = *static_cast<Reading *>(user);
  const tools::ObjectPtr<GstPad> sink(gst_element_get_static_pad(self.gate_, "sink"));
  if (gst_pad_is_linked(sink.get()) || !has_pictures(pad)) return;
  if (gst_pad_link(pad, sink.get()) == GST_PAD_LINK_OK) return;
  GstElement *convert = gst_element_factory_make("videoconvert", nullptr);
  if (!convert) return; // no_more_pads() tells
  gst_bin_add(self.pipeline_.bin(), convert);
  const tools::ObjectPtr<GstPad> in(gst_element_get_static_pad(convert, "sink"));
  gst_element_link(convert, self.gate_);
  gst_element_sync_state_with_parent(convert);
  gst_pad_link(pad, in.get());
}

void Reading::no_more_pads(GstElement *decoder, gpointer user) {
  const auto &self = *static_cast<Reading *>(user);
  const tools::ObjectPtr<GstPad> sink(gst_element_get_static_pad(self.gate_, "sink"));
  if (!gst_pad_is_linked(sink.get()))
    GST_ELEMENT_ERROR(decoder, STREAM, WRONG_TYPE, ("there is no video in the file that the chain takes"),
                      (nullptr));
}

GstBusSyncReply Reading::on_message(GstBus *, GstMessage *m, gpointer user) {
  auto &self = *static_cast<Reading *>(user);
  const bool of_element = GST_MESSAGE_TYPE(m) == GST_MESSAGE_ELEMENT;
  if (of_element) self.listener_->message(gst_message_get_structure(m));
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
  const Listener::Fate fate = self.listener_->frame(pad, GST_PAD_PROBE_INFO_BUFFER(info));
  if (self.listener_->finished()) self.wake();
  return fate == Listener::Fate::keep ? GST_PAD_PROBE_OK : GST_PAD_PROBE_DROP;
}

GstPadProbeReturn Reading::on_scored(GstPad *pad, GstPadProbeInfo *info, gpointer user) {
  static_cast<Reading *>(user)->listener_->scored(pad, GST_PAD_PROBE_INFO_BUFFER(info));
  return GST_PAD_PROBE_OK;
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
  const tools::ObjectPtr<GstPad> pad(gst_element_get_static_pad(gate_, "sink"));
  return gst_pad_peer_query_duration(pad.get(), GST_FORMAT_TIME, &d) && d > 0 ? d : 0;
}

void Reading::run(Time from) {
  const tools::ObjectPtr<GstPad> in(gst_element_get_static_pad(gate_, "sink")),
      out(gst_element_get_static_pad(gate_, "src"));
  if (from > 0) {
    GstEvent *seek = gst_event_new_seek(
        1, GST_FORMAT_TIME, static_cast<GstSeekFlags>(GST_SEEK_FLAG_FLUSH | GST_SEEK_FLAG_ACCURATE),
        GST_SEEK_TYPE_SET, from, GST_SEEK_TYPE_NONE, 0);
    if (!gst_pad_push_event(in.get(), seek))
      fail(Error::Kind::bad_data, "it cannot be entered at ", from / second, " s; leave --split away for it");
  }
  gst_pad_remove_probe(out.get(), block_);
  wait_for("more frames", [&] { return pipeline_.ended() || (listener_ && listener_->finished()); });
}

class Turn {
 public:
  explicit Turn(std::counting_semaphore<> &s) : semaphore_(s) { semaphore_.acquire(); }
  ~Turn() { semaphore_.release(); }
  Turn(const Turn &) = delete;
  Turn &operator=(const Turn &) = delete;

 private:
  std::counting_semaphore<> &semaphore_;
};

// What GStreamer reports while a file is read is the file's fault: the chain was tried before.
template <class F>
auto of_file(const std::string &path, F f) {
  try {
    return f();
  } catch (const Error &e) {
    using Kind = Error::Kind;
    if (e.kind() == Kind::bad_setting || e.kind() == Kind::no_device || e.kind() == Kind::no_memory) throw;
    fail(Kind::bad_data, path, " cannot be read: ", e.what());
  }
}

} // namespace

Findings watch(const std::string &path, const Part &part, const Chain &chain, tools::SharedContexts &contexts,
               Turns &turns) {
  return of_file(path, [&] {
    Listener listener(part, chain.model.empty() ? 0 : chain.vectors_every);
    Time duration = 0;
    bool ended = false;
    {
      Reading reading("decodebin", path, chain.elements, chain.model, &listener, &contexts);
      {
        const Turn turn(turns.open);
        reading.open();
      }
      duration = reading.duration();
      const Turn turn(turns.watch);
      reading.run(part.begin > chain.warm_up ? part.begin - chain.warm_up : 0);
      ended = reading.reached_end();
    }
    Findings f = listener.take();
    if (f.frames == 0 && part.begin == 0) fail(Error::Kind::bad_data, "no frame of it could be decoded");
    // Sound may be a little longer than the pictures.
    constexpr Time tolerance = 2 * second;
    if (const Time should = std::min(duration, part.end); ended && f.last + tolerance < should)
      f.broken_off = text("frames end at ", double(f.last) / double(second), " s of ",
                          double(should) / double(second), " s");
    return f;
  });
}

Time duration_of(const std::string &path) {
  const auto ask = [&](const char *opener) {
    Reading reading(opener, path, "", "", nullptr);
    reading.open();
    return reading.duration();
  };
  // To make a decoder on a GPU takes up to half a second, and most containers know without.
  try {
    if (const Time d = of_file(path, [&] { return ask("parsebin"); })) return d;
  } catch (const Error &e) {
    if (e.kind() != Error::Kind::bad_data) throw;
  }
  return of_file(path, [&] { return ask("decodebin"); });
}

std::vector<float> vector_at(const std::string &path, Time time, const std::string &model) {
  return of_file(path, [&] {
    Listener listener = Listener::of_one_frame(time);
    {
      Reading reading("decodebin", path, "", model, &listener);
      reading.open();
      reading.run(time);
    }
    Findings f = listener.take();
    if (f.vectors.empty())
      fail(Error::Kind::bad_data, "it has no frame at ", double(time) / double(second), " s");
    return std::move(f.vectors.front().values);
  });
}

void check_chain(const Chain &chain, tools::SharedContexts &contexts) {
  Pipeline pipeline;
  const tools::ObjectPtr<GstBus> bus(gst_element_get_bus(pipeline.element()));
  gst_bus_set_sync_handler(
      bus.get(),
      [](GstBus *, GstMessage *m, gpointer user) {
        if (!static_cast<tools::SharedContexts *>(user)->handle(m)) return GST_BUS_PASS;
        gst_message_unref(m);
        return GST_BUS_DROP;
      },
      &contexts, nullptr);
  GstElement *source = pipeline.add(tools::make_element("videotestsrc"));
  GstElement *elements = pipeline.add(parse_chain(chain.elements));
  GstElement *sink = pipeline.add(tools::make_element("fakesink"));
  g_object_set(source, "num-buffers", 2, nullptr);
  tools::link({source, elements});
  if (chain.model.empty())
    tools::link({elements, sink});
  else
    tools::link({elements, pipeline.add(make_fisher(chain.model)), sink});
  try {
    pipeline.play();
    while (!pipeline.ended()) pipeline.work_off_messages(100 * GST_MSECOND);
  } catch (const Error &e) {
    if (e.kind() != Error::Kind::device) throw;
    fail(Error::Kind::bad_setting, "the chain cannot run: ", e.what());
  }
}

} // namespace vigil::scan
