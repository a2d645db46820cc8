// SPDX-License-Identifier: LGPL-2.1-or-later
#include "stream_pipeline.h"

#include "../config/text.h"
#include "../printable.h"
#include "arrival_times.h"
#include "common/error.h"
#include "common/guarded.h"
#include "gpu_pictures.h"
#include "h264_encoder.h"
#include "pace.h"
#include "privacy_cover.h"
#include "source.h"
#include "tools/base/gst_ptr.h"
#include "tools/base/pipeline.h"

#include <cmath>
#include <cstring>
#include <exception>
#include <gst/app/gstappsink.h>
#include <utility>
#include <vector>

namespace vigil::monitor {
namespace {

// Why a camera is offline.
constexpr const char *stream_ended = "the stream has ended";
constexpr const char *played_once = "the recording has ended and is played once, since loop is false; "
                                    "switch the camera off and on to play it again";
constexpr const char *no_times =
    "the file is no video, but a picture, or pictures without times; to watch a JPEG picture use the source "
    "filesrc location=FILE ! jpegdec ! imagefreeze is-live=true ! video/x-raw,framerate=5/1";

// Every text that a source causes passes here: a camera chooses some of its words.
std::string shown(const char *text) {
  return printable(mask_credentials(text), most_said);
}

// An error of GStreamer in words that help: its own texts say what failed inside.
std::string words_of(GstMessage *m) {
  GError *e = nullptr;
  gchar *d = nullptr;
  gst_message_parse_error(m, &e, &d);
  const tools::ErrorPtr error(e);
  const tools::TextPtr details(d);
  std::string why = shown(error->message);
  if (why.starts_with("No supported stream"))
    return "the camera answers, but offers no video"; // rtspsrc, all streams refused
  if (details && std::strstr(details.get(), "Redirect to"))
    return "the address sends on to another one, which is not followed: " + why;
  if (details && std::strstr(details.get(), "reason not-linked"))
    return "the source gives something, but no video"; // sound, say, which nothing takes
  // rtspsrc repeats itself where a person asks what to do.
  if (g_error_matches(e, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_AUTHORIZED))
    return "the camera refuses the user name or the password (" + why + ")";
  if (details && std::strstr(details.get(), "(404)"))
    return "the camera answers, but has no stream at this address (" + why + ")";
  if (details && std::strstr(details.get(), "Failed to connect"))
    return "nothing answers at this address: is the camera on, and are address and port right?";
  if (details) {
    // "file.c (123): function (): /GstPipeline:x/...:\nwhat happened"
    const std::string text = details.get();
    const std::size_t line = text.find('\n');
    if (line != std::string::npos && line + 1 < text.size())
      why += " (" + shown(text.c_str() + line + 1) + ")";
  }
  return why;
}

} // namespace

struct StreamPipeline::Callbacks {
  struct Task { // of on_own_thread()
    StreamPipeline &pipeline;
    std::function<void()> run;
  };
  static StreamPipeline &self(gpointer user) { return *static_cast<StreamPipeline *>(user); }
  static void on_own_thread(GstElement *, gpointer task);
  static void delete_task(gpointer task);
  static void pad_added(GstElement *, GstPad *, gpointer);
  static void rtp_pad(GstElement *, GstPad *, gpointer);
  static GstBusSyncReply sync_message(GstBus *, GstMessage *, gpointer);
  static gboolean message(GstBus *, GstMessage *, gpointer);
  static GstPadProbeReturn caps_of_source(GstPad *, GstPadProbeInfo *, gpointer);
  static GstPadProbeReturn of_source(GstPad *, GstPadProbeInfo *, gpointer);
  static GstPadProbeReturn first_of_file(GstPad *, GstPadProbeInfo *, gpointer);
  static GstFlowReturn record(GstAppSink *, gpointer);
  static GstFlowReturn sound(GstAppSink *, gpointer, std::initializer_list<SoundForm>);
  static GstFlowReturn sound_as_sent(GstAppSink *s, gpointer user) {
    return sound(s, user, {SoundForm::sent});
  }
  static GstFlowReturn sound_to_store(GstAppSink *s, gpointer user) {
    return sound(s, user, {SoundForm::stored});
  }
  static GstFlowReturn sound_of_both(GstAppSink *s, gpointer user) {
    return sound(s, user, {SoundForm::sent, SoundForm::stored});
  }
};

StreamPipeline::StreamPipeline(const CameraConfig &config, const std::string &name, std::string source,
                               bool with_sound, StreamEvents events, tools::SharedContexts &contexts,
                               const Utc &utc)
    : config_(config), utc_(utc),
      silhouettes_(config.privacy.silhouettes ? std::make_shared<SilhouetteFeed>() : nullptr),
      source_(std::move(source)), with_sound_(with_sound), events_(std::move(events)), contexts_(contexts),
      limit_(static_cast<std::uint64_t>(config.max_pixels)) {
  if (config.privacy.asked() && !h264_encoder())
    fail(Error::Kind::no_device,
         "privacy asks for an encoder, so nothing is recorded or shown: ", no_h264_encoder);
  pipeline_ = gst_pipeline_new(name.c_str());
  gst_object_ref_sink(pipeline_);
  try {
    const tools::ObjectPtr<GstClock> clock(gst_system_clock_obtain());
    gst_pipeline_use_clock(GST_PIPELINE(pipeline_), clock.get()); // one for all cameras
    add_source(GST_BIN(pipeline_), source_,
               {G_CALLBACK(guarded<Callbacks::pad_added>), G_CALLBACK(guarded<Callbacks::rtp_pad>), this,
                with_sound_, config_.records_apart()});
  } catch (...) {
    gst_object_unref(pipeline_);
    throw;
  }
  const tools::ObjectPtr<GstBus> bus(gst_element_get_bus(pipeline_));
  gst_bus_set_sync_handler(bus.get(), guarded<Callbacks::sync_message, GST_BUS_PASS>, this, nullptr);
  watch_ = gst_bus_add_watch(bus.get(), guarded<Callbacks::message, G_SOURCE_CONTINUE>, this);
}

StreamPipeline::~StreamPipeline() {
  take_down();
  gst_object_unref(pipeline_);
}

void StreamPipeline::take_down() {
  StreamPipeline::mute();
  {
    std::unique_lock guard(threads_lock_);
    thread_ended_.wait(guard, [this] { return threads_ == 0; });
  }
  gst_element_set_state(pipeline_, GST_STATE_NULL);
}

void StreamPipeline::mute() {
  muted_ = true;
  if (silhouettes_) silhouettes_->close();
  { const std::unique_lock under_way(delivery_); } // what a thread hands over at this moment has arrived
  if (watch_) {
    const tools::ObjectPtr<GstBus> bus(gst_element_get_bus(pipeline_));
    gst_bus_remove_watch(bus.get());
    watch_ = 0;
  }
}

void StreamPipeline::play() {
  // Here the first camera makes the contexts that all others take; files are opened on the way to PAUSED.
  gst_element_set_state(pipeline_, GST_STATE_READY);
  on_own_thread([this] {
    if (gst_element_set_state(pipeline_, GST_STATE_PLAYING) ==
        GST_STATE_CHANGE_FAILURE) // often with a message of its own, which comes first
      GST_ELEMENT_ERROR(pipeline_, CORE, STATE_CHANGE, ("The pipeline does not start."), (nullptr));
  });
}

void StreamPipeline::on_own_thread(std::function<void()> f) {
  {
    const std::lock_guard guard(threads_lock_);
    threads_++;
  }
  gst_element_call_async(pipeline_, guarded<Callbacks::on_own_thread>,
                         new Callbacks::Task{*this, std::move(f)}, guarded<Callbacks::delete_task>);
}

GstElement *StreamPipeline::add(const char *factory) {
  GstElement *e = tools::make_element(factory);
  gst_bin_add(GST_BIN(pipeline_), e);
  return e;
}

void StreamPipeline::link_stream(GstPad *pad) {
  tools::CapsPtr caps(gst_pad_get_current_caps(pad));
  if (!caps) caps.reset(gst_pad_query_caps(pad, nullptr));
  const GstStructure *s = gst_caps_get_size(caps.get()) ? gst_caps_get_structure(caps.get(), 0) : nullptr;
  const std::string name = s ? gst_structure_get_name(s) : "";
  if ((!name.starts_with("video/") && !name.starts_with("image/")) || linked_.exchange(true))
    return; // sound, text, a second picture
  recording_ = is_file() || is_recording(pad, GST_BIN(pipeline_));
  if (config_.loop && has_end(source_))
    loop_ = std::make_unique<FileLoop>(pad, [this] { on_own_thread([this] { rewind(); }); });
  link(pad, name);
}

GstPad *StreamPipeline::prepared(GstPad *pad, const std::string &caps) {
  const auto guard = [this](GstPad *p) {
    watch_caps(p);
    gst_pad_add_probe(p, GST_PAD_PROBE_TYPE_BUFFER, guarded<Callbacks::of_source, GST_PAD_PROBE_OK>, this,
                      nullptr);
    if (!is_file()) ArrivalTimes::watch(p, pipeline_);
  };
  const auto follow = [this, &pad](GstElement *e) {
    const tools::ObjectPtr<GstPad> sink(gst_element_get_static_pad(e, "sink"));
    const tools::ObjectPtr<GstPad> src(gst_element_get_static_pad(e, "src"));
    gst_element_sync_state_with_parent(e);
    gst_pad_link(pad, sink.get());
    pad = src.get(); // the element keeps it
  };
  guard(pad);
  if (caps == "image/jpeg" && tools::has_element("jpegparse")) { // caps that say how large the picture is
    follow(add("jpegparse"));
    guard(pad);
  }
  if (recording_) {
    GstElement *identity = add("identity");
    g_object_set(identity, "sync", TRUE, nullptr);
    const tools::ObjectPtr<GstPad> in(gst_element_get_static_pad(identity, "sink"));
    gst_pad_add_probe(in.get(), GST_PAD_PROBE_TYPE_BUFFER,
                      guarded<Callbacks::first_of_file, GST_PAD_PROBE_OK>, this, nullptr);
    follow(identity);
  }
  return pad;
}

GstElement *StreamPipeline::add_sound_sink(GstElement *last, const char *caps,
                                           GstFlowReturn (*taken)(GstAppSink *, gpointer)) {
  GstElement *filter = add("capsfilter"), *sink = add("appsink");
  const tools::CapsPtr wanted(gst_caps_from_string(caps));
  g_object_set(filter, "caps", wanted.get(), nullptr);
  g_object_set(sink, "sync", FALSE, "async", FALSE, "max-buffers", 0u, nullptr);
  GstAppSinkCallbacks callbacks{};
  // `taken` is guarded where it is given
  callbacks.new_sample = taken;
  gst_app_sink_set_callbacks(GST_APP_SINK(sink), &callbacks, this, nullptr);
  tools::link({last, filter, sink});
  for (GstElement *e : {sink, filter}) gst_element_sync_state_with_parent(e);
  return filter;
}

void StreamPipeline::link_sound(GstPad *pad) {
  const tools::CapsPtr caps(gst_pad_get_current_caps(pad));
  const auto chain = sound_chain(caps.get());
  if (!chain) return;
  std::vector<GstElement *> elements;
  for (const char *factory : chain->elements) elements.push_back(add(factory));
  if (chain->stored.empty()) {
    add_sound_sink(elements.back(), chain->caps, guarded<Callbacks::sound_of_both, GST_FLOW_ERROR>);
  } else {
    elements.push_back(add("tee"));
    for (const char *factory : chain->stored) elements.push_back(add(factory));
    add_sound_sink(elements[chain->elements.size()], chain->caps,
                   guarded<Callbacks::sound_as_sent, GST_FLOW_ERROR>);
    add_sound_sink(elements.back(), chain->stored_caps, guarded<Callbacks::sound_to_store, GST_FLOW_ERROR>);
  }
  for (std::size_t i = 1; i < elements.size(); i++) tools::link({elements[i - 1], elements[i]});
  for (std::size_t i = elements.size(); i-- > 0;) gst_element_sync_state_with_parent(elements[i]);
  const tools::ObjectPtr<GstPad> in(gst_element_get_static_pad(elements.front(), "sink"));
  gst_pad_link(pad, in.get());
}

void StreamPipeline::refuse(const std::string &why) {
  if (refused_.exchange(true)) return;
  GST_ELEMENT_ERROR(pipeline_, STREAM, WRONG_TYPE, ("%s", why.c_str()), (nullptr));
}

void StreamPipeline::watch_caps(GstPad *pad) {
  gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM,
                    guarded<Callbacks::caps_of_source, GST_PAD_PROBE_OK>, this, nullptr);
}

void StreamPipeline::judge_change(int width, int height) {
  if (is_file()) return;
  if (const auto why = limit_.changes(width, height, Utc::monotonic_seconds())) refuse(*why);
}

bool StreamPipeline::is_file() const {
  return source_kind(source_) == SourceKind::file;
}

GstElement *StreamPipeline::add_storing(std::initializer_list<GstElement *> between, const char *caps_text) {
  GstElement *filter = add("capsfilter"), *sink = add("appsink");
  const tools::CapsPtr caps(gst_caps_from_string(caps_text));
  g_object_set(filter, "caps", caps.get(), nullptr);
  g_object_set(sink, "sync", FALSE, "async", FALSE, "max-buffers", 0u, nullptr);
  GstAppSinkCallbacks callbacks{};
  callbacks.new_sample = guarded<Callbacks::record>;
  gst_app_sink_set_callbacks(GST_APP_SINK(sink), &callbacks, this, nullptr);
  GstElement *last = nullptr;
  for (GstElement *e : between) {
    if (last) tools::link({last, e});
    last = e;
  }
  tools::link({last, filter, sink});
  for (GstElement *e : {sink, filter}) gst_element_sync_state_with_parent(e);
  for (GstElement *e : between) gst_element_sync_state_with_parent(e);
  return *between.begin();
}

GstElement *StreamPipeline::add_encoding() {
  GstElement *queue = add("queue"), *convert = add("videoconvert"), *scale = add("videoscale"),
             *filter = add("capsfilter"), *encode = add(h264_encoder());
  constexpr guint waiting = 8;
  g_object_set(queue, "max-size-buffers", waiting, "max-size-bytes", 0, "max-size-time", guint64{0}, nullptr);
  gst_util_set_object_arg(G_OBJECT(queue), "leaky", "downstream");
  // Each encoder takes one of these formats, and PrivacyCover both. They have no odd sizes.
  g_object_set(scale, "add-borders", FALSE, nullptr);
  const tools::CapsPtr caps(
      gst_caps_from_string("video/x-raw,format=(string){I420,NV12},width=(int)[2,65534,2],"
                           "height=(int)[2,65534,2]"));
  g_object_set(filter, "caps", caps.get(), nullptr);
  set_up_h264_encoder(encode, config_.privacy.asked());
  add_storing({encode, add("h264parse")}, "video/x-h264,stream-format=avc,alignment=au");
  tools::link({convert, scale, filter, encode});
  if (on_gpu()) {
    GstElement *download = add("cudadownload");
    tools::link({queue, download, convert});
    gst_element_sync_state_with_parent(download);
  } else {
    tools::link({queue, convert});
  }
  const tools::ObjectPtr<GstPad> pictures(gst_element_get_static_pad(encode, "sink"));
  cover(pictures.get());
  for (GstElement *e : {filter, scale, convert, queue}) gst_element_sync_state_with_parent(e);
  return queue;
}

// Silhouettes are looked for outside of masks alone: what these hide is covered, too.
void StreamPipeline::cover(GstPad *pictures) {
  if (!config_.privacy.asked()) return;
  PrivacyConfig covered = config_.privacy;
  if (!silhouettes_) return PrivacyCover::watch(pictures, covered, nullptr, pipeline_);
  for (const auto &[name, mask] : config_.masks) covered.polygons["mask " + name] = mask;
  const auto hidden = [feed = silhouettes_](GstPad *pad, GstBuffer *picture) {
    return feed->take(running_time(pad, picture));
  };
  PrivacyCover::watch(pictures, covered, hidden, pipeline_);
}

bool StreamPipeline::is_over() const {
  return recording_ && !config_.loop && frames_out_ > 0;
}

const char *StreamPipeline::why_ended() const {
  if (loop_ && !loop_->timed()) return no_times;
  return frames_out_ ? stream_ended : "the stream ended before its first picture; does it hold video?";
}

void StreamPipeline::rewind() {
  if (!muted_ && !loop_->rewind())
    GST_ELEMENT_ERROR(pipeline_, STREAM, FAILED, ("%s", why_ended()), (nullptr));
}

double StreamPipeline::age_of(GstClockTime running) const {
  const tools::ObjectPtr<GstClock> clock(gst_element_get_clock(pipeline_));
  if (!clock || !GST_CLOCK_TIME_IS_VALID(running)) return 0;
  const GstClockTime t = gst_clock_get_time(clock.get()),
                     then = gst_element_get_base_time(pipeline_) + running;
  const double ago = static_cast<double>(static_cast<gint64>(t - then)) / 1e9;
  constexpr double longest = 60; // further off the stream's times are wrong
  return std::abs(ago) > longest ? 0 : ago;
}

GstClockTime StreamPipeline::running_time(GstPad *pad, GstBuffer *buffer) {
  GstClockTime running = GST_CLOCK_TIME_NONE;
  if (GstEvent *event = gst_pad_get_sticky_event(pad, GST_EVENT_SEGMENT, 0)) {
    const GstSegment *segment = nullptr;
    gst_event_parse_segment(event, &segment);
    running = gst_segment_to_running_time(segment, GST_FORMAT_TIME, GST_BUFFER_PTS(buffer));
    gst_event_unref(event);
  }
  return running;
}

double StreamPipeline::time_of(GstPad *pad, GstBuffer *buffer) const {
  return utc_of(running_time(pad, buffer));
}

void StreamPipeline::Callbacks::on_own_thread(GstElement *, gpointer task) {
  const Task &t = *static_cast<Task *>(task);
  guard("a camera's thread", [&] { t.run(); });
  const std::lock_guard held(t.pipeline.threads_lock_);
  t.pipeline.threads_--;
  t.pipeline.thread_ended_.notify_all(); // with the lock held: the object may go once it is free
}

void StreamPipeline::Callbacks::delete_task(gpointer task) {
  delete static_cast<Task *>(task);
}

void StreamPipeline::Callbacks::pad_added(GstElement *, GstPad *pad, gpointer user) {
  try {
    self(user).link_stream(pad);
  } catch (const std::exception &e) {
    GST_ELEMENT_ERROR(self(user).pipeline_, LIBRARY, INIT, ("%s", e.what()), (nullptr));
  }
}

GstBusSyncReply StreamPipeline::Callbacks::sync_message(GstBus *, GstMessage *m, gpointer user) {
  if (!self(user).contexts_.handle(m)) return GST_BUS_PASS;
  gst_message_unref(m);
  return GST_BUS_DROP;
}

gboolean StreamPipeline::Callbacks::message(GstBus *, GstMessage *m, gpointer user) {
  StreamPipeline &p = self(user);
  if (p.muted_) return G_SOURCE_CONTINUE;
  switch (GST_MESSAGE_TYPE(m)) {
  case GST_MESSAGE_ERROR:
    p.events_.failed(words_of(m));
    break;
  case GST_MESSAGE_EOS:
    if (p.is_over())
      p.events_.ended(played_once);
    else
      p.events_.failed(p.why_ended());
    break;
  case GST_MESSAGE_WARNING: {
    GError *e = nullptr;
    gst_message_parse_warning(m, &e, nullptr);
    p.events_.warning(shown(tools::ErrorPtr(e)->message));
    break;
  }
  case GST_MESSAGE_QOS: // what the chain itself drops is seen by what goes in and comes out
    if (!p.counts_drops_of(GST_MESSAGE_SRC(m))) p.source_drops_.heard(m);
    break;
  case GST_MESSAGE_ELEMENT: {
    guint64 running = GST_CLOCK_TIME_NONE;
    const GstStructure *s = gst_message_get_structure(m);
    if (s && gst_structure_has_name(s, "drop-msg")) {
      p.source_drops_.packet(s);
      break;
    }
    if (s) gst_structure_get_uint64(s, "running-time", &running);
    if (p.events_.message) p.events_.message(m, p.utc_of(running));
    break;
  }
  default:
    break;
  }
  return G_SOURCE_CONTINUE;
}

// Before the source's stream goes to anything that takes memory for its pictures.
GstPadProbeReturn StreamPipeline::Callbacks::caps_of_source(GstPad *, GstPadProbeInfo *info, gpointer user) {
  StreamPipeline &p = self(user);
  GstEvent *event = GST_PAD_PROBE_INFO_EVENT(info);
  if (GST_EVENT_TYPE(event) == GST_EVENT_CAPS) {
    GstCaps *caps = nullptr;
    gst_event_parse_caps(event, &caps);
    if (const auto why = p.limit_.refuses(caps)) p.refuse(*why);
    if (p.refused_) return GST_PAD_PROBE_DROP;
  }
  return GST_PAD_PROBE_OK;
}

GstPadProbeReturn StreamPipeline::Callbacks::of_source(GstPad *, GstPadProbeInfo *, gpointer user) {
  return self(user).refused_ ? GST_PAD_PROBE_DROP : GST_PAD_PROBE_OK;
}

// A file's frames come in the order of decoding, and are let through when they are due in that order. The
// first, which waits for none, says how much later they are shown: all of them come so much later, so that
// none is shown before it is due.
GstPadProbeReturn StreamPipeline::Callbacks::first_of_file(GstPad *pad, GstPadProbeInfo *info, gpointer) {
  GstBuffer *first = GST_PAD_PROBE_INFO_BUFFER(info);
  const GstClockTime shown = GST_BUFFER_PTS(first), decoded = GST_BUFFER_DTS(first);
  if (GST_CLOCK_TIME_IS_VALID(shown) && GST_CLOCK_TIME_IS_VALID(decoded) && shown > decoded) {
    const tools::ObjectPtr<GstElement> identity(gst_pad_get_parent_element(pad));
    g_object_set(identity.get(), "ts-offset", static_cast<gint64>(shown - decoded), nullptr);
  }
  return GST_PAD_PROBE_REMOVE;
}

// rtspsrc's pads. Without its sound the camera still sees.
void StreamPipeline::Callbacks::rtp_pad(GstElement *, GstPad *pad, gpointer user) {
  StreamPipeline &p = self(user);
  const tools::CapsPtr caps(gst_pad_get_current_caps(pad));
  if (!is_sound(caps.get())) return p.sender_clock_.watch(pad, p.pipeline_);
  if (!p.with_sound_) return;
  try {
    p.link_sound(pad);
  } catch (const std::exception &e) {
    GST_ELEMENT_WARNING(p.pipeline_, LIBRARY, INIT, ("the camera's sound is not taken: %s", e.what()),
                        (nullptr));
  }
}

GstFlowReturn StreamPipeline::Callbacks::sound(GstAppSink *sink, gpointer user,
                                               std::initializer_list<SoundForm> forms) {
  StreamPipeline &p = self(user);
  const tools::SamplePtr sample(gst_app_sink_pull_sample(sink));
  const std::shared_lock delivery(p.delivery_);
  if (!sample || p.muted_) return GST_FLOW_OK;
  GstBuffer *buffer = gst_sample_get_buffer(sample.get());
  const GstClockTime running = gst_segment_to_running_time(gst_sample_get_segment(sample.get()),
                                                           GST_FORMAT_TIME, GST_BUFFER_PTS(buffer));
  const double captured = Utc::monotonic_seconds() - p.age_of(running);
  for (const SoundForm form : forms)
    p.events_.sound(form, gst_sample_get_caps(sample.get()), buffer, captured);
  return GST_FLOW_OK;
}

GstFlowReturn StreamPipeline::Callbacks::record(GstAppSink *sink, gpointer user) {
  StreamPipeline &p = self(user);
  const tools::SamplePtr sample(gst_app_sink_pull_sample(sink));
  const std::shared_lock delivery(p.delivery_);
  if (!sample || p.muted_) return GST_FLOW_OK;
  p.events_.record_caps(gst_sample_get_caps(sample.get()));
  GstBuffer *buffer = gst_sample_get_buffer(sample.get());
  const GstClockTime t = GST_BUFFER_DTS_IS_VALID(buffer) ? GST_BUFFER_DTS(buffer) : GST_BUFFER_PTS(buffer);
  const GstClockTime running =
      gst_segment_to_running_time(gst_sample_get_segment(sample.get()), GST_FORMAT_TIME, t);
  p.events_.record_frame(buffer, Utc::monotonic_seconds() - p.age_of(running));
  return GST_FLOW_OK;
}

} // namespace vigil::monitor
