// SPDX-License-Identifier: LGPL-2.1-or-later
#include "stream_pipeline.h"

#include "arrival_times.h"
#include "common/error.h"
#include "common/guarded.h"
#include "gpu_pictures.h"
#include "gst/video/gst_ptr.h"
#include "h264_encoder.h"
#include "pipeline_element.h"
#include "privacy_cover.h"
#include "source.h"
#include "tools/base/pipeline.h"

#include <exception>
#include <utility>

namespace vigil::monitor {
namespace {

// With one reference, which is the caller's.
GstElement *make_pipeline(const CameraConfig &config, const std::string &name) {
  if (config.privacy.asked() && !h264_encoder())
    fail(Error::Kind::no_device,
         "privacy asks for an encoder, so nothing is recorded or shown: ", no_h264_encoder);
  GstElement *made = gst_pipeline_new(name.c_str());
  gst_object_ref_sink(made);
  return made;
}

} // namespace

struct StreamPipeline::Callbacks {
  static StreamPipeline &self(gpointer user) { return *static_cast<StreamPipeline *>(user); }
  static void pad_added(GstElement *, GstPad *, gpointer);
  static void rtp_pad(GstElement *, GstPad *, gpointer);
  static GstPadProbeReturn first_of_file(GstPad *, GstPadProbeInfo *, gpointer);
};

StreamPipeline::StreamPipeline(const CameraConfig &config, const std::string &name, const std::string &source,
                               bool with_sound, StreamEvents events, tools::SharedContexts &contexts,
                               const Utc &utc)
    : config_(config), pipeline_(make_pipeline(config, name)),
      silhouettes_(config.privacy.silhouettes ? std::make_shared<SilhouetteFeed>() : nullptr),
      clock_(pipeline_, utc), end_(source, config.loop),
      size_guard_(pipeline_, static_cast<std::uint64_t>(config.max_pixels), !end_.is_file()),
      threads_(pipeline_),
      bus_(pipeline_, contexts, clock_, delivery_,
           {events.failed,
            [this, failed = events.failed, ended = events.ended] {
              if (end_.is_over(frames_.out))
                ended(StreamEnd::played_once);
              else
                failed(end_.why(frames_.out));
            },
            events.warning, events.message, [this](GstObject *o) { return counts_drops_of(o); }}),
      recorder_sink_(pipeline_, clock_, delivery_, {events.record_caps, events.record_frame}) {
  if (config_.privacy.shows_uncovered())
    uncovered_.emplace(pipeline_, clock_, delivery_,
                       RecorderSink::Calls{events.uncovered_caps, events.uncovered_frame},
                       events.uncovered_missing);
  if (with_sound) sound_.emplace(pipeline_, clock_, delivery_, std::move(events.sound));
  try {
    const gst::ObjectPtr<GstClock> clock(gst_system_clock_obtain());
    gst_pipeline_use_clock(GST_PIPELINE(pipeline_), clock.get()); // one for all cameras
    add_source(GST_BIN(pipeline_), source,
               {G_CALLBACK(guarded<Callbacks::pad_added>), G_CALLBACK(guarded<Callbacks::rtp_pad>), this,
                with_sound, config_.records_apart()});
  } catch (...) {
    gst_object_unref(pipeline_);
    throw;
  }
  bus_.begin();
}

StreamPipeline::~StreamPipeline() {
  take_down();
  gst_object_unref(pipeline_);
}

void StreamPipeline::take_down() {
  StreamPipeline::mute();
  threads_.wait();
  gst_element_set_state(pipeline_, GST_STATE_NULL);
}

void StreamPipeline::mute() {
  delivery_.end();
  if (silhouettes_) silhouettes_->close();
  delivery_.await();
  bus_.end();
}

void StreamPipeline::play() {
  // Here the first camera makes the contexts that all others take; files are opened on the way to PAUSED.
  gst_element_set_state(pipeline_, GST_STATE_READY);
  threads_.run([this] {
    if (gst_element_set_state(pipeline_, GST_STATE_PLAYING) ==
        GST_STATE_CHANGE_FAILURE) // often with a message of its own, which comes first
      GST_ELEMENT_ERROR(pipeline_, CORE, STATE_CHANGE, ("The pipeline does not start."), (nullptr));
  });
}

GstElement *StreamPipeline::add(const char *factory) {
  return add_element(pipeline_, factory);
}

void StreamPipeline::link_stream(GstPad *pad) {
  gst::CapsPtr caps(gst_pad_get_current_caps(pad));
  if (!caps) caps.reset(gst_pad_query_caps(pad, nullptr));
  const GstStructure *s = gst_caps_get_size(caps.get()) ? gst_caps_get_structure(caps.get(), 0) : nullptr;
  const std::string name = s ? gst_structure_get_name(s) : "";
  if ((!name.starts_with("video/") && !name.starts_with("image/")) || linked_.exchange(true))
    return; // sound, text, a second picture
  end_.begin(pad, GST_BIN(pipeline_), [this] { threads_.run([this] { rewind(); }); });
  link(pad, name);
}

GstPad *StreamPipeline::prepared(GstPad *pad, const std::string &caps) {
  const auto guard = [this](GstPad *p) {
    size_guard_.watch_caps(p);
    size_guard_.stop_frames(p);
    if (!end_.is_file()) ArrivalTimes::watch(p, pipeline_);
  };
  const auto follow = [this, &pad](GstElement *e) {
    const gst::ObjectPtr<GstPad> sink(gst_element_get_static_pad(e, "sink"));
    const gst::ObjectPtr<GstPad> src(gst_element_get_static_pad(e, "src"));
    gst_element_sync_state_with_parent(e);
    gst_pad_link(pad, sink.get());
    pad = src.get(); // the element keeps it
  };
  guard(pad);
  if (caps == "image/jpeg" && tools::has_element("jpegparse")) { // caps that say how large the picture is
    follow(add("jpegparse"));
    guard(pad);
  }
  if (end_.has_length()) {
    GstElement *identity = add("identity");
    g_object_set(identity, "sync", TRUE, nullptr);
    const gst::ObjectPtr<GstPad> in(gst_element_get_static_pad(identity, "sink"));
    gst_pad_add_probe(in.get(), GST_PAD_PROBE_TYPE_BUFFER,
                      guarded<Callbacks::first_of_file, GST_PAD_PROBE_OK>, nullptr, nullptr);
    follow(identity);
  }
  return pad;
}

GstElement *StreamPipeline::add_encoding() {
  GstElement *queue = add("queue"), *convert = add("videoconvert"), *scale = add("videoscale"),
             *filter = add("capsfilter"), *encode = add(h264_encoder());
  constexpr guint waiting = 8;
  g_object_set(queue, "max-size-buffers", waiting, "max-size-bytes", 0, "max-size-time", guint64{0}, nullptr);
  gst_util_set_object_arg(G_OBJECT(queue), "leaky", "downstream");
  // Each encoder takes one of these formats, and PrivacyCover both. They have no odd sizes.
  g_object_set(scale, "add-borders", FALSE, nullptr);
  const gst::CapsPtr caps(
      gst_caps_from_string("video/x-raw,format=(string){I420,NV12},width=(int)[2,65534,2],"
                           "height=(int)[2,65534,2]"));
  g_object_set(filter, "caps", caps.get(), nullptr);
  set_up_h264_encoder(encode, config_.privacy.asked());
  recorder_sink_.add({encode, add("h264parse")}, "video/x-h264,stream-format=avc,alignment=au");
  tools::link({convert, scale, filter, encode});
  if (on_gpu()) {
    GstElement *download = add("cudadownload");
    tools::link({queue, download, convert});
    gst_element_sync_state_with_parent(download);
  } else {
    tools::link({queue, convert});
  }
  const gst::ObjectPtr<GstPad> pictures(gst_element_get_static_pad(encode, "sink"));
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

void StreamPipeline::rewind() {
  if (!delivery_.ended() && !end_.rewind())
    GST_ELEMENT_ERROR(pipeline_, STREAM, FAILED, ("%s", end_.why(frames_.out)), (nullptr));
}

void StreamPipeline::Callbacks::pad_added(GstElement *, GstPad *pad, gpointer user) {
  try {
    self(user).link_stream(pad);
  } catch (const std::exception &e) {
    GST_ELEMENT_ERROR(self(user).pipeline_, LIBRARY, INIT, ("%s", e.what()), (nullptr));
  }
}

// A file's frames come in the order of decoding, and are let through when they are due in that order. The
// first, which waits for none, says how much later they are shown: all of them come so much later, so that
// none is shown before it is due.
GstPadProbeReturn StreamPipeline::Callbacks::first_of_file(GstPad *pad, GstPadProbeInfo *info, gpointer) {
  GstBuffer *first = GST_PAD_PROBE_INFO_BUFFER(info);
  const GstClockTime shown = GST_BUFFER_PTS(first), decoded = GST_BUFFER_DTS(first);
  if (GST_CLOCK_TIME_IS_VALID(shown) && GST_CLOCK_TIME_IS_VALID(decoded) && shown > decoded) {
    const gst::ObjectPtr<GstElement> identity(gst_pad_get_parent_element(pad));
    g_object_set(identity.get(), "ts-offset", static_cast<gint64>(shown - decoded), nullptr);
  }
  return GST_PAD_PROBE_REMOVE;
}

// rtspsrc's pads. Without its sound the camera still sees.
void StreamPipeline::Callbacks::rtp_pad(GstElement *, GstPad *pad, gpointer user) {
  StreamPipeline &p = self(user);
  const gst::CapsPtr caps(gst_pad_get_current_caps(pad));
  if (!is_sound(caps.get())) return p.sender_clock_.watch(pad, p.pipeline_);
  if (!p.sound_) return;
  try {
    p.sound_->link(pad);
  } catch (const std::exception &e) {
    GST_ELEMENT_WARNING(p.pipeline_, LIBRARY, INIT, ("the camera's sound is not taken: %s", e.what()),
                        (nullptr));
  }
}

} // namespace vigil::monitor
