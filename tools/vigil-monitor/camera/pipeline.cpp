// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipeline.h"

#include "../config/text.h"
#include "arrival_times.h"
#include "common/error.h"
#include "common/guarded.h"
#include "disposable.h"
#include "pace.h"
#include "pipeline_callbacks.h"
#include "properties.h"
#include "reduction.h"
#include "source.h"
#include "straightener.h"
#include "tools/base/gst_ptr.h"
#include "tools/base/pipeline.h"

#include <algorithm>
#include <cmath>
#include <dlfcn.h>
#include <utility>

namespace vigil::monitor {
namespace {

bool has_factory(const char *name) {
  return tools::ObjectPtr<GstElementFactory>(gst_element_factory_find(name)) != nullptr;
}

// A machine without a GPU is no mistake, of which each element would warn for each camera.
bool has_cuda_driver() {
  static const bool found = [] {
    void *driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL);
    return driver != nullptr; // kept open: the plugin opens it too
  }();
  return found;
}

// Whether frames stay on the GPU from the decoder to the tiles. GStreamer's registry may know elements of a
// GPU that is gone or hidden since, so each is made once.
bool on_gpu() {
  static const bool found = [] {
    for (const char *name : {"nvh264dec", "cudaupload", "cudaconvert", "cudascale", "cudadownload"}) {
      const tools::ObjectPtr<GstElement> made(gst_element_factory_make(name, nullptr));
      if (!made) return false;
      gst_object_ref_sink(made.get());
    }
    return has_cuda_driver();
  }();
  return found;
}

void use_processor(GstElement *e) {
  const GParamSpec *spec = g_object_class_find_property(G_OBJECT_GET_CLASS(e), "backend");
  if (spec && G_IS_PARAM_SPEC_ENUM(spec) &&
      g_enum_get_value_by_nick(G_PARAM_SPEC_ENUM(spec)->enum_class, "cpu"))
    gst_util_set_object_arg(G_OBJECT(e), "backend", "cpu");
}

// What the monitor sets where the configuration says nothing. All else keeps the element's own defaults,
// which are chosen on labelled video (docs/explanation/quality.md); an event only ends after a second and a
// half of rest, and the cameras share the processors: with two threads each they took 4 % more of their time.
constexpr std::pair<const char *, const char *> mog_defaults[] = {{"motion-hold", "1500"}, {"threads", "1"}};

} // namespace

CameraPipeline::CameraPipeline(const CameraConfig &config, const std::string &model,
                               std::shared_ptr<MaskFile> masks, PipelineEvents events,
                               tools::SharedContexts &contexts, const Utc &utc,
                               std::shared_ptr<TilePlan> plan)
    : config_(config), events_(std::move(events)), contexts_(contexts), utc_(utc), plan_(std::move(plan)),
      masks_(std::move(masks)), rate_gate_(config.detect_fps),
      limit_(static_cast<std::uint64_t>(config.max_pixels)), tile_height_(config.live_height) {
  plan_->forget();
  pipeline_ = gst_pipeline_new(config.name.c_str());
  gst_object_ref_sink(pipeline_);
  try {
    const tools::ObjectPtr<GstClock> clock(gst_system_clock_obtain());
    gst_pipeline_use_clock(GST_PIPELINE(pipeline_), clock.get()); // one for all cameras
    build_chain();
    g_object_set(mog_, "model-location", model.c_str(), nullptr);
    add_source(GST_BIN(pipeline_), config_, G_CALLBACK(guarded<Callbacks::pad_added>),
               config_.records_sound() ? G_CALLBACK(guarded<Callbacks::sound_pad>) : nullptr, this);
  } catch (...) {
    gst_object_unref(pipeline_);
    throw;
  }
  const tools::ObjectPtr<GstBus> bus(gst_element_get_bus(pipeline_));
  gst_bus_set_sync_handler(bus.get(), guarded<Callbacks::sync_message, GST_BUS_PASS>, this, nullptr);
  watch_ = gst_bus_add_watch(bus.get(), guarded<Callbacks::message, G_SOURCE_CONTINUE>, this);
}

CameraPipeline::~CameraPipeline() {
  mute();
  {
    std::unique_lock guard(threads_lock_);
    thread_ended_.wait(guard, [this] { return threads_ == 0; });
  }
  gst_element_set_state(pipeline_, GST_STATE_NULL);
  gst_object_unref(pipeline_);
}

void CameraPipeline::mute() {
  muted_ = true;
  tint_.close();
  if (watch_) {
    const tools::ObjectPtr<GstBus> bus(gst_element_get_bus(pipeline_));
    gst_bus_remove_watch(bus.get());
    watch_ = 0;
  }
}

void CameraPipeline::play() {
  // Here the first camera makes the contexts that all others take; files are opened on the way to PAUSED.
  gst_element_set_state(pipeline_, GST_STATE_READY);
  on_own_thread([](CameraPipeline &p) {
    if (gst_element_set_state(p.pipeline_, GST_STATE_PLAYING) ==
        GST_STATE_CHANGE_FAILURE) // often with a message of its own, which comes first
      GST_ELEMENT_ERROR(p.pipeline_, CORE, STATE_CHANGE, ("The pipeline does not start."), (nullptr));
  });
}

void CameraPipeline::on_own_thread(void (*f)(CameraPipeline &)) {
  {
    const std::lock_guard guard(threads_lock_);
    threads_++;
  }
  gst_element_call_async(pipeline_, guarded<Callbacks::on_own_thread>, new Callbacks::Task{*this, f},
                         guarded<Callbacks::delete_task>);
}

GstElement *CameraPipeline::add(const char *factory) {
  GstElement *e = tools::make_element(factory);
  gst_bin_add(GST_BIN(pipeline_), e);
  return e;
}

void CameraPipeline::build_chain() {
  // Frames that a decoder leaves on the GPU are converted there.
  entry_ = add(on_gpu() ? "cudaupload" : "videoconvert");
  GstElement *last = entry_;
  if (on_gpu()) {
    last = add("cudaconvert");
    tools::link({entry_, last});
  }
  raw_tee_ = add("tee");
  // A frame that comes while the chain is busy takes the place of one that waits: a camera is watched as it
  // is now. Of a compressed stream that comes in bursts the decoder waits for a while (frame_in).
  GstElement *queue = chain_queue_ = add("queue");
  g_object_set(queue, "max-size-buffers", chain_waiting, "max-size-bytes", 0, "max-size-time", guint64{0},
               nullptr);
  gst_util_set_object_arg(G_OBJECT(queue), "leaky", "downstream");
  tools::link({last, raw_tee_, queue});
  last = reduces() ? add_reduction(queue) : queue;
  for (const std::string &name : chain_elements()) {
    const bool asked = config_.elements.count(name) != 0;
    const bool rules = (name == "boxtrack" || name == "boxrules") && has_factory(name.c_str());
    if (name != "cudamog" && !asked && !rules) continue;
    GstElement *e = tools::make_element(name.c_str(), name.c_str());
    gst_bin_add(GST_BIN(pipeline_), e);
    if (!has_cuda_driver()) use_processor(e);
    if (name == "cudamog") {
      for (const auto &[p, v] : mog_defaults) set_property(e, p, v);
      gst_util_set_object_arg(G_OBJECT(e), "output", "passthrough");
      mog_ = e;
    }
    if (asked)
      apply_settings(e, config_.elements.at(name), [&](const std::string &why) {
        if (events_.warning) events_.warning(why);
      });
    tools::link({last, e});
    chain_.push_back(e);
    last = e;
  }
  const tools::ObjectPtr<GstPad> entry(gst_element_get_static_pad(queue, "sink"));
  gst_pad_add_probe(entry.get(), GST_PAD_PROBE_TYPE_BUFFER, guarded<Callbacks::frame_in, GST_PAD_PROBE_OK>,
                    this, nullptr);
  const tools::ObjectPtr<GstPad> pictures(gst_element_get_static_pad(raw_tee_, "sink"));
  gst_pad_add_probe(pictures.get(), GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM,
                    guarded<Callbacks::caps_of_pictures, GST_PAD_PROBE_OK>, this, nullptr);
  const tools::ObjectPtr<GstPad> sink(gst_element_get_static_pad(mog_, "sink"));
  gst_pad_add_probe(sink.get(), GST_PAD_PROBE_TYPE_BUFFER, guarded<Callbacks::before_mog, GST_PAD_PROBE_OK>,
                    this, nullptr);
  gst_pad_add_probe(sink.get(), GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM,
                    guarded<Callbacks::caps_of_frames, GST_PAD_PROBE_OK>, this, nullptr);
  // Boxes are read where cudamog puts them: boxtrack adds those of tracks, some of them of hidden objects.
  const tools::ObjectPtr<GstPad> found(gst_element_get_static_pad(mog_, "src"));
  gst_pad_add_probe(found.get(), GST_PAD_PROBE_TYPE_BUFFER, guarded<Callbacks::after_mog, GST_PAD_PROBE_OK>,
                    this, nullptr);
  if (tints())
    gst_pad_add_probe(found.get(), GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM,
                      guarded<Callbacks::caps_of_masks, GST_PAD_PROBE_OK>, this, nullptr);
  const tools::ObjectPtr<GstPad> src(gst_element_get_static_pad(last, "src"));
  gst_pad_add_probe(src.get(), GST_PAD_PROBE_TYPE_BUFFER, guarded<Callbacks::after_chain, GST_PAD_PROBE_OK>,
                    this, nullptr);
  if (reduction_) {
    gst_pad_add_probe(pictures.get(), GST_PAD_PROBE_TYPE_BUFFER,
                      guarded<Callbacks::plan_picture, GST_PAD_PROBE_OK>, this, nullptr);
    plain_tiles_ = build_tiles(raw_tee_, guarded<Callbacks::into_plain_tiles, GST_PAD_PROBE_DROP>, tints());
  }
  chain_tiles_ = build_tiles(last,
                             reduction_ ? guarded<Callbacks::into_view_tiles, GST_PAD_PROBE_DROP>
                                        : guarded<Callbacks::into_tiles, GST_PAD_PROBE_DROP>,
                             false);
}

bool CameraPipeline::reduces() const {
  if (config_.detect_height != detect_half) return config_.detect_height != detect_full;
  // A GPU has time for whole pictures, and what these two do depends on how large things are in them.
  return !on_gpu() && !config_.elements.count("gpufisher") && !config_.elements.count("clbilateral");
}

bool CameraPipeline::tints() const {
  return reduction_ && !on_gpu();
}

GstElement *CameraPipeline::add_reduction(GstElement *last) {
  GstElement *scale = add(on_gpu() ? "cudascale" : "videoscale");
  if (g_object_class_find_property(G_OBJECT_GET_CLASS(scale), "add-borders"))
    g_object_set(scale, "add-borders", FALSE,
                 nullptr); // for the part of a pixel that the width is rounded by
  reduction_ = add("capsfilter");
  const tools::ObjectPtr<GstPad> sink(gst_element_get_static_pad(scale, "sink"));
  gst_pad_add_probe(sink.get(), GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM,
                    guarded<Callbacks::caps_to_reduce, GST_PAD_PROBE_OK>, this, nullptr);
  tools::link({last, scale, reduction_});
  return reduction_;
}

void CameraPipeline::set_reduction(const GstVideoInfo &video) {
  const int reduced = chain_lines(config_.detect_height, video.height);
  const tools::CapsPtr caps(reduced_caps(video, reduced));
  g_object_set(reduction_, "caps", caps.get(), nullptr);
  const bool half = config_.detect_height == detect_half && reduced < video.height;
  if (std::exchange(halved_, half) != half) fit_settings(mog_, half, config_.elements);
}

GstElement *CameraPipeline::build_tiles(GstElement *last, GstPadProbeCallback into, bool tinted) {
  GstElement *queue = add("queue"), *scale = add("videoscale"), *convert = add("videoconvert");
  GstElement *encode = add("jpegenc"), *sink = add("appsink");
  GstElement *size = add("capsfilter");
  if (on_gpu()) {
    GstElement *download = add("cudadownload");
    tools::link({last, queue, download, scale});
  } else {
    tools::link({last, queue, scale});
  }
  constexpr guint waiting = 2;
  g_object_set(queue, "max-size-buffers", waiting, "max-size-bytes", 0, "max-size-time", guint64{0}, nullptr);
  gst_util_set_object_arg(G_OBJECT(queue), "leaky", "downstream");
  constexpr int quality = 80;
  g_object_set(encode, "quality", quality, nullptr);
  g_object_set(scale, "add-borders", FALSE, nullptr);
  g_object_set(sink, "sync", FALSE, "async", FALSE, "max-buffers", 2u, "drop", TRUE, "emit-signals", FALSE,
               nullptr);
  tools::link({scale, size, convert, encode, sink});
  GstAppSinkCallbacks callbacks{};
  callbacks.new_sample = guarded<Callbacks::tile>;
  gst_app_sink_set_callbacks(GST_APP_SINK(sink), &callbacks, this, nullptr);
  const tools::ObjectPtr<GstPad> pad(gst_element_get_static_pad(queue, "sink"));
  // `into` is guarded where it is given
  gst_pad_add_probe(pad.get(), GST_PAD_PROBE_TYPE_BUFFER, into, this, nullptr);
  const tools::ObjectPtr<GstPad> ready(gst_element_get_static_pad(encode, "sink"));
  if (tinted) {
    gst_pad_add_probe(ready.get(), GST_PAD_PROBE_TYPE_BUFFER, guarded<Callbacks::tint_tile, GST_PAD_PROBE_OK>,
                      this, nullptr);
    gst_pad_add_probe(ready.get(), GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM,
                      guarded<Callbacks::caps_of_tiles, GST_PAD_PROBE_OK>, this, nullptr);
  }
  return size;
}

void CameraPipeline::set_tile_height(int height) {
  if (tile_height_.exchange(height) != height) update_tile_caps();
}

void CameraPipeline::update_tile_caps() {
  set_tile_size(plain_tiles_, shown_width_, height_);
  set_tile_size(chain_tiles_, chain_shown_width_, chain_height_);
}

void CameraPipeline::set_tile_size(GstElement *tiles, int w, int h) {
  if (!tiles || w <= 0 || h <= 0) return;
  const int out_h = std::min(tile_height_.load(), h) & ~1;
  const int out_w = std::max(2, static_cast<int>(std::lround(static_cast<double>(w) * out_h / h)) & ~1);
  const tools::CapsPtr caps(gst_caps_new_simple("video/x-raw", "width", G_TYPE_INT, out_w, "height",
                                                G_TYPE_INT, std::max(2, out_h), "pixel-aspect-ratio",
                                                GST_TYPE_FRACTION, 1, 1, nullptr));
  g_object_set(tiles, "caps", caps.get(), nullptr);
}

void CameraPipeline::draw_masks_soon() {
  on_own_thread([](CameraPipeline &p) { p.draw_masks(); });
}

void CameraPipeline::draw_masks() {
  const std::lock_guard guard(drawing_);
  int w = 0, h = 0;
  do { // again when the size changed meanwhile, on the other thread
    w = chain_width_, h = chain_height_;
    if (w <= 0 || h <= 0) return;
    std::string file;
    try {
      file = masks_->draw(w, h);
    } catch (const Error &e) { // without its masks the camera still sees
      GST_ELEMENT_WARNING(pipeline_, RESOURCE, WRITE, ("%s", e.what()), (nullptr));
    }
    g_object_set(mog_, "mask-location", file.empty() ? nullptr : file.c_str(), nullptr);
  } while (w != chain_width_ || h != chain_height_);
}

void CameraPipeline::link_stream(GstPad *pad) {
  tools::CapsPtr caps(gst_pad_get_current_caps(pad));
  if (!caps) caps.reset(gst_pad_query_caps(pad, nullptr));
  const GstStructure *s = gst_caps_get_size(caps.get()) ? gst_caps_get_structure(caps.get(), 0) : nullptr;
  const std::string name = s ? gst_structure_get_name(s) : "";
  if ((!name.starts_with("video/") && !name.starts_with("image/")) || linked_.exchange(true))
    return; // sound, text, a second picture
  const SourceKind kind = source_kind(config_.source);
  recording_ = kind == SourceKind::file || is_recording(pad, GST_BIN(pipeline_));
  if (config_.loop && has_end(config_.source))
    loop_ = std::make_unique<FileLoop>(pad, [this] { on_own_thread([](CameraPipeline &p) { p.rewind(); }); });
  if (name == "video/x-raw")
    link_raw(pad);
  else if (name == "video/x-h264")
    link_compressed(pad, name, "h264parse", "video/x-h264,stream-format=avc,alignment=au");
  else if (name == "video/x-h265")
    link_compressed(pad, name, "h265parse", "video/x-h265,stream-format=hvc1,alignment=au");
  else
    link_compressed(pad, name, nullptr, nullptr);
}

GstPad *CameraPipeline::prepared(GstPad *pad, const std::string &caps) {
  const auto guard = [this](GstPad *p) {
    gst_pad_add_probe(p, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM,
                      guarded<Callbacks::caps_of_source, GST_PAD_PROBE_OK>, this, nullptr);
    gst_pad_add_probe(p, GST_PAD_PROBE_TYPE_BUFFER, guarded<Callbacks::of_source, GST_PAD_PROBE_OK>, this,
                      nullptr);
    if (source_kind(config_.source) != SourceKind::file) ArrivalTimes::watch(p, pipeline_);
  };
  const auto follow = [this, &pad](GstElement *e) {
    const tools::ObjectPtr<GstPad> sink(gst_element_get_static_pad(e, "sink"));
    const tools::ObjectPtr<GstPad> src(gst_element_get_static_pad(e, "src"));
    gst_element_sync_state_with_parent(e);
    gst_pad_link(pad, sink.get());
    pad = src.get(); // the element keeps it
  };
  guard(pad);
  if (caps == "image/jpeg" && has_factory("jpegparse")) { // caps that say how large the picture is
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

void CameraPipeline::link_compressed(GstPad *pad, const std::string &caps, const char *parser,
                                     const char *record_caps) {
  GstElement *tee = add("tee"), *queue = add("queue"), *decode = add("decodebin");
  // A decoder that hangs must not hold up the recorder: this queue never blocks, and into_decoder limits it.
  g_object_set(queue, "max-size-buffers", 0u, "max-size-bytes", 0u, "max-size-time", guint64{0}, nullptr);
  decode_queue_ = queue;
  const tools::ObjectPtr<GstPad> in(gst_element_get_static_pad(queue, "sink"));
  gst_pad_add_probe(in.get(), GST_PAD_PROBE_TYPE_BUFFER, guarded<Callbacks::into_decoder, GST_PAD_PROBE_OK>,
                    this, nullptr);
  g_signal_connect(decode, "pad-added", G_CALLBACK(guarded<Callbacks::decoded_pad>), this);
  // Else the pipeline would wait for the decoder before it plays, and a file, which comes at its own speed
  // only once it plays, for the pipeline.
  g_object_set(decode, "async-handling", TRUE, nullptr);
  tools::link({tee, queue, decode});
  if (parser) record_from(tee, {add(parser)}, record_caps); // for viewers too, when nothing is recorded
  for (GstElement *e : {decode, queue, tee}) gst_element_sync_state_with_parent(e);
  const tools::ObjectPtr<GstPad> sink(gst_element_get_static_pad(tee, "sink"));
  gst_pad_link(prepared(pad, caps), sink.get());
  if (!parser && config_.record.enabled) link_encoder();
}

void CameraPipeline::link_raw(GstPad *pad) {
  if (config_.record.enabled) link_encoder();
  link_pictures(prepared(pad, "video/x-raw"));
}

void CameraPipeline::link_sound(GstPad *pad) {
  const tools::CapsPtr caps(gst_pad_get_current_caps(pad));
  const auto chain = sound_chain(caps.get());
  if (!chain) return;
  GstElement *depay = add(chain->depay), *parse = add(chain->parse), *filter = add("capsfilter"),
             *sink = add("appsink");
  const tools::CapsPtr wanted(gst_caps_from_string(chain->caps));
  g_object_set(filter, "caps", wanted.get(), nullptr);
  g_object_set(sink, "sync", FALSE, "async", FALSE, "max-buffers", 0u, nullptr);
  GstAppSinkCallbacks callbacks{};
  callbacks.new_sample = guarded<Callbacks::sound>;
  gst_app_sink_set_callbacks(GST_APP_SINK(sink), &callbacks, this, nullptr);
  tools::link({depay, parse, filter, sink});
  for (GstElement *e : {sink, filter, parse, depay}) gst_element_sync_state_with_parent(e);
  const tools::ObjectPtr<GstPad> in(gst_element_get_static_pad(depay, "sink"));
  gst_pad_link(pad, in.get());
}

void CameraPipeline::link_pictures(GstPad *pad) {
  const tools::ObjectPtr<GstPad> sink(gst_element_get_static_pad(entry_, "sink"));
  if (gst_pad_is_linked(sink.get())) return;
  // The size is judged before anything works on pictures of it.
  gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM,
                    guarded<Callbacks::caps_of_source, GST_PAD_PROBE_OK>, this, nullptr);
  gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_BUFFER, guarded<Callbacks::decoded, GST_PAD_PROBE_OK>, this,
                    nullptr);
  Straightener::watch(GST_BIN(pipeline_), pad, sink.get(), on_gpu());
  gst_pad_link(pad, sink.get());
}

void CameraPipeline::refuse(const std::string &why) {
  if (refused_.exchange(true)) return;
  GST_ELEMENT_ERROR(pipeline_, STREAM, WRONG_TYPE, ("%s", why.c_str()), (nullptr));
}

void CameraPipeline::record_from(GstElement *tee, std::initializer_list<GstElement *> between,
                                 const char *caps_text) {
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
  tools::link({tee, *between.begin()});
}

void CameraPipeline::link_encoder() {
  encodes_ = true;
  const char *factory = has_factory("nvh264enc")     ? "nvh264enc"
                        : has_factory("x264enc")     ? "x264enc"
                        : has_factory("openh264enc") ? "openh264enc"
                                                     : nullptr;
  if (!factory) {
    // On a streaming thread: the message brings it to the main one.
    GST_ELEMENT_WARNING(pipeline_, CORE, MISSING_PLUGIN,
                        ("no clips of this camera: GStreamer has no encoder of H.264 here; install "
                         "gstreamer1.0-plugins-ugly or gstreamer1.0-plugins-bad"),
                        (nullptr));
    return;
  }
  GstElement *queue = add("queue"), *convert = add(on_gpu() ? "cudadownload" : "videoconvert"),
             *encode = add(factory), *parse = add("h264parse");
  constexpr guint waiting = 8;
  g_object_set(queue, "max-size-buffers", waiting, "max-size-bytes", 0, "max-size-time", guint64{0}, nullptr);
  gst_util_set_object_arg(G_OBJECT(queue), "leaky", "downstream");
  constexpr guint key_frames = 30;
  if (std::string_view(factory) == "x264enc") {
    g_object_set(encode, "key-int-max", key_frames, "bitrate", 2000u, "threads", 1u, nullptr);
    gst_util_set_object_arg(G_OBJECT(encode), "speed-preset", "ultrafast");
    gst_util_set_object_arg(G_OBJECT(encode), "tune", "zerolatency");
  } else {
    g_object_set(encode, "gop-size", static_cast<int>(key_frames), nullptr);
  }
  g_signal_connect(queue, "overrun", G_CALLBACK(guarded<Callbacks::leaks>), this);
  record_from(raw_tee_, {queue, convert, encode, parse}, "video/x-h264,stream-format=avc,alignment=au");
}

GstElement *CameraPipeline::element(const std::string &name) const {
  for (GstElement *e : chain_)
    if (name == GST_OBJECT_NAME(e)) return e;
  return nullptr;
}

std::uint64_t CameraPipeline::drops() const {
  const std::uint64_t out = frames_out_,
                      in = frames_in_; // in this order: no frame comes out before it goes in
  constexpr std::uint64_t under_way = 4;
  return source_drops_.total() + key_gate_.dropped() + damage_gate_.dropped() + leaked_ +
         (in > out + under_way ? in - out - under_way : 0);
}

bool CameraPipeline::is_over() const {
  return recording_ && !config_.loop && frames_out_ > 0;
}

const char *CameraPipeline::why_ended() const {
  if (loop_ && !loop_->timed()) return no_times;
  return frames_out_ ? stream_ended : "the stream ended before its first picture; does it hold video?";
}

void CameraPipeline::rewind() {
  if (!muted_ && !loop_->rewind())
    GST_ELEMENT_ERROR(pipeline_, STREAM, FAILED, ("%s", why_ended()), (nullptr));
}

double CameraPipeline::age_of(GstClockTime running) const {
  const tools::ObjectPtr<GstClock> clock(gst_element_get_clock(pipeline_));
  if (!clock || !GST_CLOCK_TIME_IS_VALID(running)) return 0;
  const GstClockTime t = gst_clock_get_time(clock.get()),
                     then = gst_element_get_base_time(pipeline_) + running;
  const double ago = static_cast<double>(static_cast<gint64>(t - then)) / 1e9;
  constexpr double longest = 60; // further off the stream's times are wrong
  return std::abs(ago) > longest ? 0 : ago;
}

GstClockTime CameraPipeline::running_time(GstPad *pad, GstBuffer *buffer) {
  GstClockTime running = GST_CLOCK_TIME_NONE;
  if (GstEvent *event = gst_pad_get_sticky_event(pad, GST_EVENT_SEGMENT, 0)) {
    const GstSegment *segment = nullptr;
    gst_event_parse_segment(event, &segment);
    running = gst_segment_to_running_time(segment, GST_FORMAT_TIME, GST_BUFFER_PTS(buffer));
    gst_event_unref(event);
  }
  return running;
}

static double seconds_of(GstClockTime t) {
  return GST_CLOCK_TIME_IS_VALID(t) ? static_cast<double>(t) / GST_SECOND : std::nan("");
}

bool CameraPipeline::is_due(GstPad *pad, GstBuffer *picture) {
  return rate_gate_.passes(seconds_of(running_time(pad, picture)));
}

bool CameraPipeline::is_needless(GstPad *pad, GstBuffer *frame) const {
  if (encodes_ || !rate_gate_.will_drop(seconds_of(running_time(pad, frame)))) return false;
  const tools::CapsPtr caps(gst_pad_get_current_caps(pad));
  return nothing_refers_to(frame, caps.get());
}

double CameraPipeline::time_of(GstPad *pad, GstBuffer *buffer) const {
  return utc_of(running_time(pad, buffer));
}

} // namespace vigil::monitor
