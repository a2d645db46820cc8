// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipeline.h"

#include "../detector/track_crops.h"
#include "common/error.h"
#include "common/guarded.h"
#include "disposable.h"
#include "gpu_pictures.h"
#include "h264_encoder.h"
#include "pipeline_callbacks.h"
#include "properties.h"
#include "record_pipeline.h"
#include "reduction.h"
#include "straightener.h"
#include "tools/base/gst_ptr.h"
#include "tools/base/pipeline.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <utility>

namespace vigil::monitor {
namespace {

// Whether cudamog takes OpenGL by itself here: that runs on a GPU, and passes the element's trial. A short
// pipeline finds out, once, where there is a device at all.
bool mog_takes_gl() {
  static const bool found = [] {
    std::error_code none;
    if (has_cuda_driver() || !std::filesystem::exists("/dev/dri", none)) return false;
    GstElement *made =
        gst_parse_launch("videotestsrc num-buffers=1 ! video/x-raw,format=NV12,width=64,height=48"
                         " ! cudamog name=mog ! fakesink",
                         nullptr);
    if (!made) return false;
    gst_object_ref_sink(made);
    const tools::ObjectPtr<GstElement> line(made), mog(gst_bin_get_by_name(GST_BIN(made), "mog"));
    if (!mog) return false;
    const tools::ObjectPtr<GstBus> bus(gst_element_get_bus(made));
    gst_element_set_state(made, GST_STATE_PLAYING);
    constexpr GstClockTime longest = 10 * GST_SECOND;
    const tools::MessagePtr end(gst_bus_timed_pop_filtered(
        bus.get(), longest, static_cast<GstMessageType>(GST_MESSAGE_EOS | GST_MESSAGE_ERROR)));
    GstStructure *stats = nullptr;
    g_object_get(mog.get(), "stats", &stats, nullptr);
    const bool gl = g_strcmp0(gst_structure_get_string(stats, "backend"), "gl") == 0;
    gst_structure_free(stats);
    gst_element_set_state(made, GST_STATE_NULL);
    return gl && end && GST_MESSAGE_TYPE(end.get()) == GST_MESSAGE_EOS;
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
constexpr std::pair<const char *, const char *> mog_defaults[] = {
    {"motion-hold", "1500"},
    {"motion-delay", "100"}, // a streak of rain or a bad picture shows in one frame
    {"threads", "1"},
};

} // namespace

CameraPipeline::CameraPipeline(const CameraConfig &config, const std::string &model,
                               std::shared_ptr<MaskFile> masks, PipelineEvents events,
                               tools::SharedContexts &contexts, const Utc &utc,
                               std::shared_ptr<TilePlan> plan, std::shared_ptr<Detector> detector)
    : StreamPipeline(config, config.name, config.source, config.takes_sound() && !config.records_apart(),
                     events, contexts, utc),
      events_(std::move(events)), plan_(std::move(plan)), masks_(std::move(masks)),
      rate_gate_(config.analysed ? config.analysed_fps() : detect_all), tile_height_(config.live_height) {
  if (!config_.analysed && silhouettes_) fail(Error::Kind::bad_setting, silhouettes_need_analysis);
  plan_->forget();
  build_entry();
  if (!config_.analysed) {
    build_tiles_alone();
    return;
  }
  build_chain();
  if (detector && element("tracklabel")) add_detector(std::move(detector));
  g_object_set(mog_, "model-location", model.c_str(), nullptr);
}

CameraPipeline::~CameraPipeline() {
  CameraPipeline::mute();
  take_down();
}

void CameraPipeline::mute() {
  StreamPipeline::mute();
  tint_.close();
}

bool CameraPipeline::counts_drops_of(GstObject *source) const {
  return std::any_of(chain_.begin(), chain_.end(), [&](GstElement *e) { return GST_OBJECT(e) == source; });
}

void CameraPipeline::build_entry() {
  // Frames that a decoder leaves on the GPU are converted there.
  entry_ = add(on_gpu() ? "cudaupload" : "videoconvert");
  GstElement *last = entry_;
  if (on_gpu()) {
    last = add("cudaconvert");
    tools::link({entry_, last});
  }
  raw_tee_ = add("tee");
  tools::link({last, raw_tee_});
  const tools::ObjectPtr<GstPad> pictures(gst_element_get_static_pad(raw_tee_, "sink"));
  gst_pad_add_probe(pictures.get(), GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM,
                    guarded<Callbacks::caps_of_pictures, GST_PAD_PROBE_OK>, this, nullptr);
  gst_pad_add_probe(pictures.get(), GST_PAD_PROBE_TYPE_BUFFER,
                    guarded<Callbacks::plan_picture, GST_PAD_PROBE_OK>, this, nullptr);
  build_uncovered_tiles();
}

void CameraPipeline::build_tiles_alone() {
  plain_tiles_ = build_tiles(raw_tee_, guarded<Callbacks::into_plain_tiles, GST_PAD_PROBE_DROP>, false);
}

void CameraPipeline::build_chain() {
  // A frame that comes while the chain is busy takes the place of one that waits: a camera is watched as it
  // is now. Of a compressed stream that comes in bursts the decoder waits for a while (frame_in).
  GstElement *queue = chain_queue_ = add("queue");
  g_object_set(queue, "max-size-buffers", chain_waiting, "max-size-bytes", 0, "max-size-time", guint64{0},
               nullptr);
  gst_util_set_object_arg(G_OBJECT(queue), "leaky", "downstream");
  tools::link({raw_tee_, queue});
  GstElement *last = reduces() ? add_reduction(queue) : queue;
  for (const std::string &name : chain_elements()) {
    const bool asked = config_.elements.count(name) != 0;
    const bool rules = (name == "boxtrack" || name == "tracklabel" || name == "boxrules") &&
                       tools::has_element(name.c_str());
    if (name != "cudamog" && !asked && !rules) continue;
    GstElement *e = tools::make_element(name.c_str(), name.c_str());
    gst_bin_add(GST_BIN(pipeline_), e);
    if (!has_cuda_driver() && (name != "cudamog" || !mog_takes_gl())) use_processor(e);
    if (name == "cudamog") {
      for (const auto &[p, v] : mog_defaults) set_property(e, p, v);
      if (silhouettes_) set_property(e, "absorb-after", "0"); // somebody may stand motionless
      gst_util_set_object_arg(G_OBJECT(e), "output", silhouettes_ ? "mask" : "passthrough");
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
  const tools::ObjectPtr<GstPad> sink(gst_element_get_static_pad(mog_, "sink"));
  gst_pad_add_probe(sink.get(), GST_PAD_PROBE_TYPE_BUFFER, guarded<Callbacks::before_mog, GST_PAD_PROBE_OK>,
                    this, nullptr);
  gst_pad_add_probe(sink.get(), GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM,
                    guarded<Callbacks::caps_of_frames, GST_PAD_PROBE_OK>, this, nullptr);
  // Boxes are read where cudamog puts them: boxtrack adds those of tracks, some of them of hidden objects.
  const tools::ObjectPtr<GstPad> found(gst_element_get_static_pad(mog_, "src"));
  gst_pad_add_probe(found.get(), GST_PAD_PROBE_TYPE_BUFFER, guarded<Callbacks::after_mog, GST_PAD_PROBE_OK>,
                    this, nullptr);
  if (tints() || silhouettes_)
    gst_pad_add_probe(found.get(), GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM,
                      guarded<Callbacks::caps_of_masks, GST_PAD_PROBE_OK>, this, nullptr);
  const tools::ObjectPtr<GstPad> src(gst_element_get_static_pad(last, "src"));
  gst_pad_add_probe(src.get(), GST_PAD_PROBE_TYPE_BUFFER, guarded<Callbacks::after_chain, GST_PAD_PROBE_OK>,
                    this, nullptr);
  if (reduction_)
    plain_tiles_ = build_tiles(raw_tee_, guarded<Callbacks::into_plain_tiles, GST_PAD_PROBE_DROP>, tints());
  if (events_.findings && tools::has_element("onvifmeta")) last = build_findings(last);
  chain_tiles_ = build_tiles(last,
                             reduction_ ? guarded<Callbacks::into_view_tiles, GST_PAD_PROBE_DROP>
                                        : guarded<Callbacks::into_tiles, GST_PAD_PROBE_DROP>,
                             false);
}

void CameraPipeline::add_detector(std::shared_ptr<Detector> detector) {
  crops_ = std::make_unique<TrackCrops>(config_.name, std::move(detector), element("tracklabel"));
  const tools::ObjectPtr<GstPad> pictures(gst_element_get_static_pad(raw_tee_, "sink"));
  gst_pad_add_probe(pictures.get(), GST_PAD_PROBE_TYPE_BUFFER,
                    guarded<Callbacks::picture_to_crop, GST_PAD_PROBE_OK>, this, nullptr);
}

bool CameraPipeline::reduces() const {
  if (silhouettes_) return true; // plain tiles are of pictures that came: the chain has masks
  if (config_.detect_height != detect_half) return config_.detect_height != detect_full;
  // A GPU has time for whole pictures, and what these two do depends on how large things are in them.
  return !on_gpu() && !config_.elements.count("gpufisher") && !config_.elements.count("clbilateral");
}

bool CameraPipeline::tints() const {
  return reduction_ && (!on_gpu() || silhouettes_);
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

GstElement *CameraPipeline::build_findings(GstElement *last) {
  GstElement *tee = add("tee"), *queue = add("queue"), *onvif = add("onvifmeta"), *sink = add("appsink");
  constexpr guint waiting = 32;
  g_object_set(queue, "max-size-buffers", waiting, "max-size-bytes", 0, "max-size-time", guint64{0}, nullptr);
  gst_util_set_object_arg(G_OBJECT(queue), "leaky", "downstream");
  g_object_set(onvif, "video-source", config_.name.c_str(), nullptr);
  g_object_set(sink, "sync", FALSE, "async", FALSE, "max-buffers", waiting, "drop", TRUE, nullptr);
  tools::link({last, tee, queue, onvif, sink});
  const tools::ObjectPtr<GstPad> pad(gst_element_get_static_pad(queue, "sink"));
  gst_pad_add_probe(pad.get(), GST_PAD_PROBE_TYPE_BUFFER,
                    guarded<Callbacks::into_findings, GST_PAD_PROBE_DROP>, this, nullptr);
  GstAppSinkCallbacks callbacks{};
  callbacks.new_sample = guarded<Callbacks::findings>;
  gst_app_sink_set_callbacks(GST_APP_SINK(sink), &callbacks, this, nullptr);
  return tee;
}

CameraPipeline::TileParts CameraPipeline::add_tiles(GstElement *last, GstPadProbeCallback into,
                                                    GstFlowReturn (*taken)(GstAppSink *, gpointer)) {
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
  // `taken` is guarded where it is given
  callbacks.new_sample = taken;
  gst_app_sink_set_callbacks(GST_APP_SINK(sink), &callbacks, this, nullptr);
  const tools::ObjectPtr<GstPad> pad(gst_element_get_static_pad(queue, "sink"));
  // `into` is guarded where it is given
  gst_pad_add_probe(pad.get(), GST_PAD_PROBE_TYPE_BUFFER, into, this, nullptr);
  return {size, encode};
}

GstElement *CameraPipeline::build_tiles(GstElement *last, GstPadProbeCallback into, bool tinted) {
  const auto [size, encode] = add_tiles(last, into, guarded<Callbacks::tile>);
  const tools::ObjectPtr<GstPad> ready(gst_element_get_static_pad(encode, "sink"));
  if (tinted) {
    gst_pad_add_probe(ready.get(), GST_PAD_PROBE_TYPE_BUFFER, guarded<Callbacks::tint_tile, GST_PAD_PROBE_OK>,
                      this, nullptr);
    gst_pad_add_probe(ready.get(), GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM,
                      guarded<Callbacks::caps_of_tiles, GST_PAD_PROBE_OK>, this, nullptr);
  }
  cover(ready.get());
  return size;
}

void CameraPipeline::build_uncovered_tiles() {
  if (!config_.privacy.shows_uncovered()) return;
  uncovered_tiles_ = add_tiles(raw_tee_, guarded<Callbacks::into_uncovered_tiles, GST_PAD_PROBE_DROP>,
                               guarded<Callbacks::uncovered_tile>)
                         .size;
}

void CameraPipeline::set_tile_height(int height) {
  if (tile_height_.exchange(height) != height) update_tile_caps();
}

void CameraPipeline::update_tile_caps() {
  set_tile_size(plain_tiles_, shown_width_, height_);
  set_tile_size(uncovered_tiles_, shown_width_, height_);
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

void CameraPipeline::begin_turn() {
  if (!mog_) return; // nothing has to be learnt again
  const std::lock_guard guard(turn_lock_);
  turns_++;
  if (!turning_) still_.forget();
  turning_ = true;
}

void CameraPipeline::end_turn() {
  const std::lock_guard guard(turn_lock_);
  turning_ = false;
}

void CameraPipeline::learn_view(const std::string &model) {
  if (!mog_) return;
  unsigned turn = 0;
  {
    const std::lock_guard guard(turn_lock_);
    turn = turns_;
  }
  on_own_thread([this, model, turn] {
    std::error_code none;
    gboolean loaded = FALSE;
    // Also before a model is loaded: what the camera looked at before is no view to compare this one with.
    g_signal_emit_by_name(mog_, "reset");
    if (!model.empty() && std::filesystem::is_regular_file(model, none))
      g_signal_emit_by_name(mog_, "load-model", model.c_str(), &loaded);
    const std::lock_guard guard(turn_lock_);
    if (turn == turns_) turning_ = false;
  });
}

void CameraPipeline::draw_masks_soon() {
  if (!mog_) return;
  on_own_thread([this] { draw_masks(); });
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

void CameraPipeline::link(GstPad *pad, const std::string &caps) {
  if (caps == "video/x-raw")
    link_raw(pad);
  else
    link_compressed(pad, caps);
}

bool CameraPipeline::encodes() const {
  return config_.privacy.asked() || (config_.record.enabled && !config_.records_apart());
}

void CameraPipeline::count_frames(GstPad *pad) {
  gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_BUFFER, guarded<Callbacks::unanalysed, GST_PAD_PROBE_OK>, this,
                    nullptr);
}

void CameraPipeline::link_stored_alone(GstPad *pad, const StoredFormat &stored, const std::string &caps) {
  GstElement *first = add_storing({add(stored.parser)}, stored.caps);
  const tools::ObjectPtr<GstPad> sink(gst_element_get_static_pad(first, "sink"));
  GstPad *ready = prepared(pad, caps);
  gst_pad_add_probe(ready, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM,
                    guarded<Callbacks::caps_of_pictures, GST_PAD_PROBE_OK>, this, nullptr);
  count_frames(ready);
  gst_pad_link(ready, sink.get());
}

void CameraPipeline::link_compressed(GstPad *pad, const std::string &caps) {
  const StoredFormat *stored = config_.privacy.asked() ? nullptr : stored_format(caps);
  if (stored && !config_.analysed) return link_stored_alone(pad, *stored, caps);
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
  if (stored) // for viewers too, when nothing is recorded
    tools::link({tee, add_storing({add(stored->parser)}, stored->caps)});
  for (GstElement *e : {decode, queue, tee}) gst_element_sync_state_with_parent(e);
  const tools::ObjectPtr<GstPad> sink(gst_element_get_static_pad(tee, "sink"));
  GstPad *ready = prepared(pad, caps);
  if (!config_.analysed) count_frames(ready);
  gst_pad_link(ready, sink.get());
  if (!stored && encodes()) link_encoder();
}

void CameraPipeline::link_raw(GstPad *pad) {
  if (encodes()) link_encoder();
  GstPad *ready = prepared(pad, "video/x-raw");
  if (!config_.analysed) count_frames(ready);
  link_pictures(ready);
}

void CameraPipeline::link_pictures(GstPad *pad) {
  const tools::ObjectPtr<GstPad> sink(gst_element_get_static_pad(entry_, "sink"));
  if (gst_pad_is_linked(sink.get())) return;
  // The size is judged before anything works on pictures of it.
  watch_caps(pad);
  gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_BUFFER, guarded<Callbacks::decoded, GST_PAD_PROBE_OK>, this,
                    nullptr);
  Straightener::watch(GST_BIN(pipeline_), pad, sink.get(), on_gpu());
  gst_pad_link(pad, sink.get());
}

void CameraPipeline::link_encoder() {
  encodes_ = true;
  if (!h264_encoder()) {
    // On a streaming thread: the message brings it to the main one.
    GST_ELEMENT_WARNING(pipeline_, CORE, MISSING_PLUGIN, ("no clips of this camera: %s", no_h264_encoder),
                        (nullptr));
    return;
  }
  GstElement *queue = add_encoding();
  g_signal_connect(queue, "overrun", G_CALLBACK(guarded<Callbacks::leaks>), this);
  tools::link({raw_tee_, queue});
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

static double seconds_of(GstClockTime t) {
  return GST_CLOCK_TIME_IS_VALID(t) ? static_cast<double>(t) / GST_SECOND : std::nan("");
}

bool CameraPipeline::is_due(GstPad *pad, GstBuffer *picture) {
  return rate_gate_.passes(seconds_of(running_time(pad, picture)));
}

bool CameraPipeline::is_needless(GstPad *pad, GstBuffer *frame) const {
  if (!config_.analysed) // pictures for viewers: JPEG, or key frames
    return !encodes_ && (GST_BUFFER_FLAG_IS_SET(frame, GST_BUFFER_FLAG_DELTA_UNIT) ||
                         (!plan_->wants(View::plain) && !plan_->wants(View::uncovered)));
  if (encodes_ || !rate_gate_.will_drop(seconds_of(running_time(pad, frame)))) return false;
  const tools::CapsPtr caps(gst_pad_get_current_caps(pad));
  return nothing_refers_to(frame, caps.get());
}

} // namespace vigil::monitor
