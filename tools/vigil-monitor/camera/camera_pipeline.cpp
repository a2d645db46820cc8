// SPDX-License-Identifier: LGPL-2.1-or-later
#include "camera_pipeline.h"

#include "../detector/track_crops.h"
#include "common/error.h"
#include "common/guarded.h"
#include "frame_boxes.h"
#include "gpu_pictures.h"
#include "gst/video/gst_ptr.h"
#include "h264_encoder.h"
#include "record_pipeline.h"
#include "straightener.h"
#include "tools/base/pipeline.h"

#include <chrono>
#include <utility>

namespace vigil::monitor {
namespace {

// Of cudamog, for each View.
const char *const outputs[] = {"passthrough", "overlay", "mask", "background", "passthrough"};

std::int64_t now_ns() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}

bool shows_plain(View v) {
  return v == View::plain;
}

} // namespace

// What GStreamer calls.
struct CameraPipeline::Callbacks {
  static CameraPipeline &self(gpointer user) { return *static_cast<CameraPipeline *>(user); }
  static GstPadProbeReturn unanalysed(GstPad *, GstPadProbeInfo *, gpointer);
  static void decoded_pad(GstElement *, GstPad *, gpointer);
  static GstPadProbeReturn caps_of_pictures(GstPad *, GstPadProbeInfo *, gpointer);
  static GstPadProbeReturn plan_picture(GstPad *, GstPadProbeInfo *, gpointer);
  static GstPadProbeReturn caps_of_frames(GstPad *, GstPadProbeInfo *, gpointer);
  static GstPadProbeReturn caps_of_masks(GstPad *, GstPadProbeInfo *, gpointer);
  static GstPadProbeReturn frame_in(GstPad *, GstPadProbeInfo *, gpointer);
  static GstPadProbeReturn before_mog(GstPad *, GstPadProbeInfo *, gpointer);
  static GstPadProbeReturn after_mog(GstPad *, GstPadProbeInfo *, gpointer);
  static GstPadProbeReturn after_chain(GstPad *, GstPadProbeInfo *, gpointer);
  static GstPadProbeReturn picture_to_crop(GstPad *, GstPadProbeInfo *, gpointer);
  static GstPadProbeReturn into_decoder(GstPad *, GstPadProbeInfo *, gpointer);
  static GstPadProbeReturn decoded(GstPad *, GstPadProbeInfo *, gpointer);
  static void leaks(GstElement *, gpointer);
};

CameraPipeline::CameraPipeline(const CameraConfig &config, const std::string &model,
                               std::shared_ptr<MaskFile> masks, PipelineEvents events,
                               tools::SharedContexts &contexts, const Utc &utc,
                               std::shared_ptr<TilePlan> plan, std::shared_ptr<Detector> detector)
    : StreamPipeline(config, config.name, config.source, config.takes_sound() && !config.records_apart(),
                     events, contexts, utc),
      events_(std::move(events)), plan_(std::move(plan)), entry_(pipeline_), selection_(config_, plan_),
      decoder_gate_(pipeline_), chain_(pipeline_, config_), view_(threads_),
      masks_(pipeline_, std::move(masks), chain_.size()),
      tiles_(
          pipeline_, clock_, delivery_, plan_, events_.picture, [this](GstPad *pad) { cover(pad); },
          config.live_height),
      findings_(pipeline_, clock_, delivery_, {events_.findings_wanted, events_.findings}) {
  if (!config_.analysed && silhouettes_) fail(Error::Kind::bad_setting, silhouettes_need_analysis);
  plan_->forget();
  watch_entry();
  if (!config_.analysed) {
    build_tiles_alone();
    return;
  }
  build_chain();
  if (detector && element("tracklabel")) add_detector(std::move(detector));
  g_object_set(chain_.cudamog(), "model-location", model.c_str(), nullptr);
}

CameraPipeline::~CameraPipeline() {
  CameraPipeline::mute();
  take_down();
}

void CameraPipeline::mute() {
  StreamPipeline::mute();
  tint_.close();
}

void CameraPipeline::watch_entry() {
  const auto pictures = entry_.passage();
  gst_pad_add_probe(pictures.get(), GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM,
                    guarded<Callbacks::caps_of_pictures, GST_PAD_PROBE_OK>, this, nullptr);
  gst_pad_add_probe(pictures.get(), GST_PAD_PROBE_TYPE_BUFFER,
                    guarded<Callbacks::plan_picture, GST_PAD_PROBE_OK>, this, nullptr);
  if (config_.privacy.shows_uncovered())
    tiles_.add(entry_.tee(), {[](View v) { return v == View::uncovered; }, entry_.size(), true});
}

void CameraPipeline::build_tiles_alone() {
  tiles_.add(entry_.tee(), {shows_plain, entry_.size()});
}

void CameraPipeline::build_chain() {
  chain_.build(entry_.tee(), [&](const std::string &why) {
    if (events_.warning) events_.warning(why);
  });
  view_.use(chain_.cudamog());
  masks_.use(chain_.cudamog());
  watch_chain();
  const bool tints = chain_.tints(), reduced = chain_.reduced(), masks_alone = silhouettes_ != nullptr;
  if (reduced)
    tiles_.add(entry_.tee(), {[tints](View v) { return v == View::plain || (v == View::overlay && tints); },
                              entry_.size(), false, tints ? &tint_ : nullptr});
  GstElement *last = chain_.last();
  if (events_.findings && tools::has_element("onvifmeta")) last = findings_.build(last, config_.name);
  const auto shows = [reduced, tints, masks_alone](View v) {
    if (v == View::uncovered) return false;
    return !reduced || (v != View::plain && !masks_alone && !(v == View::overlay && tints));
  };
  tiles_.add(last, {shows, chain_.size()});
}

void CameraPipeline::watch_chain() {
  const gst::ObjectPtr<GstPad> entry(gst_element_get_static_pad(chain_.queue().element(), "sink"));
  gst_pad_add_probe(entry.get(), GST_PAD_PROBE_TYPE_BUFFER, guarded<Callbacks::frame_in, GST_PAD_PROBE_OK>,
                    this, nullptr);
  const gst::ObjectPtr<GstPad> sink(gst_element_get_static_pad(chain_.cudamog(), "sink"));
  gst_pad_add_probe(sink.get(), GST_PAD_PROBE_TYPE_BUFFER, guarded<Callbacks::before_mog, GST_PAD_PROBE_OK>,
                    this, nullptr);
  gst_pad_add_probe(sink.get(), GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM,
                    guarded<Callbacks::caps_of_frames, GST_PAD_PROBE_OK>, this, nullptr);
  // Boxes are read where cudamog puts them: boxtrack adds those of tracks, some of them of hidden objects.
  const gst::ObjectPtr<GstPad> found(gst_element_get_static_pad(chain_.cudamog(), "src"));
  gst_pad_add_probe(found.get(), GST_PAD_PROBE_TYPE_BUFFER, guarded<Callbacks::after_mog, GST_PAD_PROBE_OK>,
                    this, nullptr);
  if (chain_.tints() || silhouettes_)
    gst_pad_add_probe(found.get(), GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM,
                      guarded<Callbacks::caps_of_masks, GST_PAD_PROBE_OK>, this, nullptr);
  const gst::ObjectPtr<GstPad> src(gst_element_get_static_pad(chain_.last(), "src"));
  gst_pad_add_probe(src.get(), GST_PAD_PROBE_TYPE_BUFFER, guarded<Callbacks::after_chain, GST_PAD_PROBE_OK>,
                    this, nullptr);
}

void CameraPipeline::add_detector(std::shared_ptr<Detector> detector) {
  crops_ = std::make_unique<TrackCrops>(config_.name, std::move(detector), element("tracklabel"));
  const auto pictures = entry_.passage();
  gst_pad_add_probe(pictures.get(), GST_PAD_PROBE_TYPE_BUFFER,
                    guarded<Callbacks::picture_to_crop, GST_PAD_PROBE_OK>, this, nullptr);
}

void CameraPipeline::draw_masks_soon() {
  if (!chain_.cudamog()) return;
  threads_.run([this] { masks_.draw(); });
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
  GstElement *first = recorder_sink_.add({add(stored.parser)}, stored.caps);
  const gst::ObjectPtr<GstPad> sink(gst_element_get_static_pad(first, "sink"));
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
  // A decoder that hangs must not hold up the recorder: this queue never blocks, and DecoderGate limits it.
  g_object_set(queue, "max-size-buffers", 0u, "max-size-bytes", 0u, "max-size-time", guint64{0}, nullptr);
  decoder_gate_.use(queue);
  const gst::ObjectPtr<GstPad> in(gst_element_get_static_pad(queue, "sink"));
  gst_pad_add_probe(in.get(), GST_PAD_PROBE_TYPE_BUFFER, guarded<Callbacks::into_decoder, GST_PAD_PROBE_OK>,
                    this, nullptr);
  g_signal_connect(decode, "pad-added", G_CALLBACK(guarded<Callbacks::decoded_pad>), this);
  // Else the pipeline would wait for the decoder before it plays, and a file, which comes at its own speed
  // only once it plays, for the pipeline.
  g_object_set(decode, "async-handling", TRUE, nullptr);
  tools::link({tee, queue, decode});
  if (stored) // for viewers too, when nothing is recorded
    tools::link({tee, recorder_sink_.add({add(stored->parser)}, stored->caps)});
  if (GstElement *first = uncovered_ ? uncovered_->add(caps) : nullptr) tools::link({tee, first});
  for (GstElement *e : {decode, queue, tee}) gst_element_sync_state_with_parent(e);
  const gst::ObjectPtr<GstPad> sink(gst_element_get_static_pad(tee, "sink"));
  GstPad *ready = prepared(pad, caps);
  if (!config_.analysed) count_frames(ready);
  gst_pad_link(ready, sink.get());
  if (!stored && encodes()) link_encoder();
}

void CameraPipeline::link_raw(GstPad *pad) {
  if (encodes()) link_encoder();
  if (uncovered_) uncovered_->add("video/x-raw");
  GstPad *ready = prepared(pad, "video/x-raw");
  if (!config_.analysed) count_frames(ready);
  link_pictures(ready);
}

void CameraPipeline::link_pictures(GstPad *pad) {
  const auto sink = entry_.way_in();
  if (gst_pad_is_linked(sink.get())) return;
  // The size is judged before anything works on pictures of it.
  size_guard_.watch_caps(pad);
  gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_BUFFER, guarded<Callbacks::decoded, GST_PAD_PROBE_OK>, this,
                    nullptr);
  Straightener::watch(GST_BIN(pipeline_), pad, sink.get(), on_gpu());
  gst_pad_link(pad, sink.get());
}

void CameraPipeline::link_encoder() {
  selection_.encode();
  if (!h264_encoder()) {
    // On a streaming thread: the message brings it to the main one.
    GST_ELEMENT_WARNING(pipeline_, CORE, MISSING_PLUGIN, ("no clips of this camera: %s", no_h264_encoder),
                        (nullptr));
    return;
  }
  GstElement *queue = add_encoding();
  g_signal_connect(queue, "overrun", G_CALLBACK(guarded<Callbacks::leaks>), this);
  tools::link({entry_.tee(), queue});
}

std::uint64_t CameraPipeline::drops() const {
  const std::uint64_t out = frames_.out,
                      in = frames_.in; // in this order: no frame comes out before it goes in
  constexpr std::uint64_t under_way = 4;
  return bus_.drops() + decoder_gate_.dropped() + leaked_ + (in > out + under_way ? in - out - under_way : 0);
}

GstPadProbeReturn CameraPipeline::Callbacks::unanalysed(GstPad *pad, GstPadProbeInfo *info, gpointer user) {
  CameraPipeline &p = self(user);
  if (p.size_guard_.refused()) return GST_PAD_PROBE_DROP;
  p.frames_.in++;
  p.frames_.out++;
  if (!p.delivery_.ended()) p.events_.frame(p.clock_.utc(pad, GST_PAD_PROBE_INFO_BUFFER(info)), {}, 0);
  return GST_PAD_PROBE_OK;
}

void CameraPipeline::Callbacks::decoded_pad(GstElement *, GstPad *pad, gpointer user) {
  self(user).link_pictures(pad);
}

GstPadProbeReturn CameraPipeline::Callbacks::caps_of_pictures(GstPad *, GstPadProbeInfo *info,
                                                              gpointer user) {
  CameraPipeline &p = self(user);
  if (const auto video = video_of(info)) {
    p.size_guard_.judge_change(video->width, video->height);
    p.entry_.size().set(*video);
    if (p.crops_) p.crops_->caps(*video);
    p.tiles_.update_sizes();
  }
  return GST_PAD_PROBE_OK;
}

GstPadProbeReturn CameraPipeline::Callbacks::caps_of_frames(GstPad *, GstPadProbeInfo *info, gpointer user) {
  CameraPipeline &p = self(user);
  if (const auto video = video_of(info)) {
    PictureSize &size = p.chain_.size();
    const bool same = size.width() == video->width && size.height() == video->height;
    size.set(*video);
    fit_learning_time(p.chain_.cudamog(), *video, p.config_);
    p.tiles_.update_sizes();
    if (!same) p.masks_.draw();
  }
  return GST_PAD_PROBE_OK;
}

GstPadProbeReturn CameraPipeline::Callbacks::caps_of_masks(GstPad *, GstPadProbeInfo *info, gpointer user) {
  CameraPipeline &p = self(user);
  if (const auto video = video_of(info)) {
    if (p.chain_.tints()) p.tint_.mask_caps(*video);
    if (p.silhouettes_) p.silhouettes_->mask_caps(*video);
  }
  return GST_PAD_PROBE_OK;
}

GstPadProbeReturn CameraPipeline::Callbacks::into_decoder(GstPad *pad, GstPadProbeInfo *info, gpointer user) {
  CameraPipeline &p = self(user);
  GstBuffer *frame = GST_PAD_PROBE_INFO_BUFFER(info);
  return p.decoder_gate_.passes_frame(frame) && !p.selection_.is_needless(pad, frame) ? GST_PAD_PROBE_OK
                                                                                      : GST_PAD_PROBE_DROP;
}

GstPadProbeReturn CameraPipeline::Callbacks::decoded(GstPad *pad, GstPadProbeInfo *info, gpointer user) {
  CameraPipeline &p = self(user);
  if (p.size_guard_.refused()) return GST_PAD_PROBE_DROP;
  if (p.decoder_gate_.has_decoder()) p.frames_.decoded++;
  if (!p.decoder_gate_.passes_picture(info)) return GST_PAD_PROBE_DROP;
  return p.selection_.encodes() || p.selection_.is_due(pad, GST_PAD_PROBE_INFO_BUFFER(info))
             ? GST_PAD_PROBE_OK
             : GST_PAD_PROBE_DROP;
}

void CameraPipeline::Callbacks::leaks(GstElement *, gpointer user) {
  self(user).leaked_++;
}

GstPadProbeReturn CameraPipeline::Callbacks::frame_in(GstPad *pad, GstPadProbeInfo *info, gpointer user) {
  CameraPipeline &p = self(user);
  PictureSelection &selection = p.selection_;
  if (selection.encodes() &&
      !(p.plans_before_chain() ? selection.analysed()
                               : selection.is_due(pad, GST_PAD_PROBE_INFO_BUFFER(info))))
    return GST_PAD_PROBE_DROP;
  p.frames_.in++;
  if (p.decoder_gate_.has_decoder()) p.chain_.queue().frame_of_decoder(); // nothing holds raw pictures for it
  return GST_PAD_PROBE_OK;
}

// With a reduction, and with uncovered pictures: before a frame goes both to the chain and to tiles.
GstPadProbeReturn CameraPipeline::Callbacks::plan_picture(GstPad *pad, GstPadProbeInfo *info, gpointer user) {
  CameraPipeline &p = self(user);
  if (!p.plans_before_chain()) return GST_PAD_PROBE_OK;
  GstBuffer *picture = GST_PAD_PROBE_INFO_BUFFER(info);
  const bool analysed = p.selection_.decide(pad, picture);
  if (!p.delivery_.ended())
    p.plan_->frame(now_ns(), running_time(pad, picture), analysed && p.config_.analysed);
  return GST_PAD_PROBE_OK;
}

// Sets what this very frame will show: cudamog takes its settings for each frame on this thread.
GstPadProbeReturn CameraPipeline::Callbacks::before_mog(GstPad *pad, GstPadProbeInfo *info, gpointer user) {
  CameraPipeline &p = self(user);
  if (p.delivery_.ended()) return GST_PAD_PROBE_OK;
  p.view_.see(pad, GST_PAD_PROBE_INFO_BUFFER(info));
  const GstClockTime running = running_time(pad, GST_PAD_PROBE_INFO_BUFFER(info));
  const auto view = p.plans_before_chain() ? p.plan_->planned(running) : p.plan_->frame(now_ns(), running);
  if (!view || p.silhouettes_) return GST_PAD_PROBE_OK; // silhouettes_ need each frame's mask
  const View drawn = *view == View::overlay && p.chain_.tints() ? View::mask : *view;
  gst_util_set_object_arg(G_OBJECT(p.chain_.cudamog()), "output", outputs[static_cast<int>(drawn)]);
  return GST_PAD_PROBE_OK;
}

GstPadProbeReturn CameraPipeline::Callbacks::after_mog(GstPad *pad, GstPadProbeInfo *info, gpointer user) {
  CameraPipeline &p = self(user);
  if (p.delivery_.ended()) return GST_PAD_PROBE_OK;
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER(info);
  if (p.view_.turning()) { // boxes that are found in a picture that moves as a whole
    GST_PAD_PROBE_INFO_DATA(info) = buffer = gst_buffer_make_writable(buffer);
    drop_boxes(buffer);
  }
  std::vector<Rect> boxes = p.see_boxes(pad, buffer);
  if (!p.chain_.tints() || p.delivery_.ended()) return GST_PAD_PROBE_OK;
  const GstClockTime running = running_time(pad, buffer);
  if (p.plan_->planned(running) == View::overlay) p.tint_.put(buffer, running, std::move(boxes));
  return GST_PAD_PROBE_OK;
}

GstPadProbeReturn CameraPipeline::Callbacks::after_chain(GstPad *pad, GstPadProbeInfo *info, gpointer user) {
  CameraPipeline &p = self(user);
  p.frames_.out++;
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER(info);
  p.latency_ms_ = p.clock_.late_ms(pad, buffer);
  if (p.silhouettes_) p.silhouettes_->put(buffer, running_time(pad, buffer), p.view_.known());
  if (p.crops_ && !p.delivery_.ended())
    p.crops_->see(buffer, running_time(pad, buffer), p.chain_.size().width(), p.chain_.size().height());
  return GST_PAD_PROBE_OK;
}

GstPadProbeReturn CameraPipeline::Callbacks::picture_to_crop(GstPad *pad, GstPadProbeInfo *info,
                                                             gpointer user) {
  const CameraPipeline &p = self(user);
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER(info);
  if (!p.delivery_.ended()) p.crops_->picture(buffer, running_time(pad, buffer));
  return GST_PAD_PROBE_OK;
}

std::vector<Rect> CameraPipeline::see_boxes(GstPad *pad, GstBuffer *buffer) {
  const double time = clock_.utc(pad, buffer);
  FrameBoxes found = motion_boxes(buffer, chain_.size().width(), chain_.size().height());
  events_.frame(time, found.boxes, found.area);
  if (auto scores = fisher_scores(buffer))
    events_.scores(std::move(scores->scores), std::move(scores->vector));
  return std::move(found.boxes);
}

} // namespace vigil::monitor
