// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipeline_callbacks.h"

#include "../detector/track_crops.h"
#include "common/guarded.h"
#include "reduction.h"
#include "tools/base/gst_ptr.h"
#include "tools/base/mapped.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <gst/video/video.h>
#include <optional>
#include <shared_mutex>
#include <utility>

namespace vigil::monitor {
namespace {

CameraPipeline &self(gpointer user) {
  return *static_cast<CameraPipeline *>(user);
}

// Of cudamog, for each View.
const char *const outputs[] = {"passthrough", "overlay", "mask", "background", "passthrough"};

// Of a CAPS event; none of another one, or of caps that are no video.
std::optional<GstVideoInfo> video_of(GstPadProbeInfo *info) {
  GstEvent *event = GST_PAD_PROBE_INFO_EVENT(info);
  if (GST_EVENT_TYPE(event) != GST_EVENT_CAPS) return std::nullopt;
  GstCaps *caps = nullptr;
  gst_event_parse_caps(event, &caps);
  GstVideoInfo video;
  return gst_video_info_from_caps(&video, caps) ? std::optional(video) : std::nullopt;
}

// Of boxes that are found in a picture that moves as a whole. Detections of GstAnalytics are the same ones.
gboolean drop_box(GstBuffer *, GstMeta **meta, gpointer) {
  static const GQuark analytics = g_quark_from_static_string("GstAnalyticsRelationMetaAPI");
  const GType api = (*meta)->info->api;
  if (api == GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE || g_type_qname(api) == analytics) *meta = nullptr;
  return TRUE;
}

StillPicture::Cells brightness_of(const GstVideoFrame &frame) {
  // Luma, or of colours green, which is most of it.
  const int component = GST_VIDEO_INFO_IS_RGB(&frame.info) ? GST_VIDEO_COMP_G : GST_VIDEO_COMP_Y;
  const auto *data = static_cast<const std::uint8_t *>(GST_VIDEO_FRAME_COMP_DATA(&frame, component));
  const auto stride = static_cast<std::size_t>(GST_VIDEO_FRAME_COMP_STRIDE(&frame, component)),
             step = static_cast<std::size_t>(GST_VIDEO_FRAME_COMP_PSTRIDE(&frame, component)),
             width = static_cast<std::size_t>(GST_VIDEO_FRAME_COMP_WIDTH(&frame, component)),
             height = static_cast<std::size_t>(GST_VIDEO_FRAME_COMP_HEIGHT(&frame, component));
  constexpr std::size_t samples = 4; // of a cell, in each direction
  StillPicture::Cells cells{};
  for (std::size_t i = 0; i < cells.size(); i++) {
    unsigned sum = 0;
    for (std::size_t s = 0; s < samples * samples; s++) {
      const std::size_t x =
          (i % StillPicture::columns * samples + s % samples) * width / (StillPicture::columns * samples);
      const std::size_t y =
          (i / StillPicture::columns * samples + s / samples) * height / (StillPicture::rows * samples);
      sum += data[y * stride + x * step];
    }
    cells[i] = static_cast<std::uint8_t>(sum / (samples * samples));
  }
  return cells;
}

std::int64_t now_ns() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}

} // namespace

GstPadProbeReturn CameraPipeline::Callbacks::unanalysed(GstPad *pad, GstPadProbeInfo *info, gpointer user) {
  CameraPipeline &p = self(user);
  if (p.refused_) return GST_PAD_PROBE_DROP;
  p.frames_in_++;
  p.frames_out_++;
  if (!p.muted_) p.events_.frame(p.time_of(pad, GST_PAD_PROBE_INFO_BUFFER(info)), {}, 0);
  return GST_PAD_PROBE_OK;
}

void CameraPipeline::Callbacks::decoded_pad(GstElement *, GstPad *pad, gpointer user) {
  self(user).link_pictures(pad);
}

GstPadProbeReturn CameraPipeline::Callbacks::caps_of_pictures(GstPad *, GstPadProbeInfo *info,
                                                              gpointer user) {
  CameraPipeline &p = self(user);
  if (const auto video = video_of(info)) {
    p.judge_change(video->width, video->height);
    p.width_ = video->width;
    p.shown_width_ = width_shown(*video);
    p.height_ = video->height;
    if (p.crops_) p.crops_->caps(*video);
    p.update_tile_caps();
  }
  return GST_PAD_PROBE_OK;
}

GstPadProbeReturn CameraPipeline::Callbacks::caps_of_frames(GstPad *, GstPadProbeInfo *info, gpointer user) {
  CameraPipeline &p = self(user);
  if (const auto video = video_of(info)) {
    const bool same = p.chain_width_ == video->width && p.chain_height_ == video->height;
    p.chain_width_ = video->width;
    p.chain_shown_width_ = width_shown(*video);
    p.chain_height_ = video->height;
    fit_learning_time(p.mog_, *video, p.config_);
    p.update_tile_caps();
    if (!same) p.draw_masks();
  }
  return GST_PAD_PROBE_OK;
}

GstPadProbeReturn CameraPipeline::Callbacks::caps_to_reduce(GstPad *, GstPadProbeInfo *info, gpointer user) {
  if (const auto video = video_of(info)) self(user).set_reduction(*video);
  return GST_PAD_PROBE_OK;
}

GstPadProbeReturn CameraPipeline::Callbacks::caps_of_masks(GstPad *, GstPadProbeInfo *info, gpointer user) {
  CameraPipeline &p = self(user);
  if (const auto video = video_of(info)) {
    if (p.tints()) p.tint_.mask_caps(*video);
    if (p.silhouettes_) p.silhouettes_->mask_caps(*video);
  }
  return GST_PAD_PROBE_OK;
}

GstPadProbeReturn CameraPipeline::Callbacks::caps_of_tiles(GstPad *, GstPadProbeInfo *info, gpointer user) {
  if (const auto video = video_of(info)) self(user).tint_.picture_caps(*video);
  return GST_PAD_PROBE_OK;
}

GstPadProbeReturn CameraPipeline::Callbacks::into_decoder(GstPad *pad, GstPadProbeInfo *info, gpointer user) {
  CameraPipeline &p = self(user);
  guint buffers = 0, bytes = 0;
  guint64 time = 0;
  g_object_get(p.decode_queue_, "current-level-buffers", &buffers, "current-level-bytes", &bytes,
               "current-level-time", &time, nullptr);
  // A relay begins with seconds of the past at once; a camera of a picture in ten seconds is not late. A
  // queue that was full has to become half empty.
  constexpr guint most_bytes = 32u << 20, few = 8;
  constexpr guint64 longest = 10 * GST_SECOND;
  const guint part = p.key_gate_.waiting() ? 2 : 1;
  const bool behind = bytes >= most_bytes / part || (buffers >= few && time >= longest / part);
  const bool key = !GST_BUFFER_FLAG_IS_SET(GST_PAD_PROBE_INFO_BUFFER(info), GST_BUFFER_FLAG_DELTA_UNIT);
  const bool waited = p.key_gate_.waiting();
  const bool passes = p.key_gate_.passes(key, behind, Utc::monotonic_seconds());
  if (passes && waited && p.key_gate_.gave_up())
    GST_ELEMENT_WARNING(p.pipeline_, STREAM, DECODE, ("%s", no_key_frame), (nullptr));
  return passes && !p.is_needless(pad, GST_PAD_PROBE_INFO_BUFFER(info)) ? GST_PAD_PROBE_OK
                                                                        : GST_PAD_PROBE_DROP;
}

GstPadProbeReturn CameraPipeline::Callbacks::decoded(GstPad *pad, GstPadProbeInfo *info, gpointer user) {
  CameraPipeline &p = self(user);
  if (p.refused_) return GST_PAD_PROBE_DROP;
  if (p.decode_queue_) p.decoded_++; // else the pictures came raw
  GstBuffer *b = GST_PAD_PROBE_INFO_BUFFER(info);
  const bool damaged = GST_BUFFER_FLAG_IS_SET(b, GST_BUFFER_FLAG_CORRUPTED);
  switch (p.damage_gate_.judge(damaged, p.key_gate_.gave_up(), Utc::monotonic_seconds())) {
  case DamageGate::Verdict::pass:
    break;
  case DamageGate::Verdict::drop:
    return GST_PAD_PROBE_DROP;
  case DamageGate::Verdict::take_as_whole:
    b = gst_buffer_make_writable(b);
    GST_PAD_PROBE_INFO_DATA(info) = b;
    GST_BUFFER_FLAG_UNSET(b, GST_BUFFER_FLAG_CORRUPTED);
    if (!p.key_gate_.gave_up() && !p.all_damaged_told_.exchange(true))
      GST_ELEMENT_WARNING(p.pipeline_, STREAM, DECODE, ("%s", all_damaged), (nullptr));
    break;
  }
  return p.encodes_ || p.is_due(pad, b) ? GST_PAD_PROBE_OK : GST_PAD_PROBE_DROP;
}

void CameraPipeline::Callbacks::leaks(GstElement *, gpointer user) {
  self(user).leaked_++;
}

// A burst is looked at frame by frame: the decoder waits for the chain, and its queue holds the rest. A chain
// that does not catch up within seconds is too slow for this camera, and frames are left out.
GstPadProbeReturn CameraPipeline::Callbacks::frame_in(GstPad *pad, GstPadProbeInfo *info, gpointer user) {
  CameraPipeline &p = self(user);
  if (p.encodes_ && !(p.plans_before_chain() ? p.analysed_ : p.is_due(pad, GST_PAD_PROBE_INFO_BUFFER(info))))
    return GST_PAD_PROBE_DROP;
  p.frames_in_++;
  if (!p.decode_queue_) return GST_PAD_PROBE_OK; // nothing holds raw pictures for it
  guint waiting = 0;
  g_object_get(p.chain_queue_, "current-level-buffers", &waiting, nullptr);
  const double now = Utc::monotonic_seconds();
  if (waiting < chain_waiting)
    p.busy_since_ = 0;
  else if (p.busy_since_ == 0)
    p.busy_since_ = now;
  constexpr double patience = 3;
  const bool leak = p.busy_since_ > 0 && now - p.busy_since_ > patience;
  if (std::exchange(p.leaks_, leak) != leak)
    gst_util_set_object_arg(G_OBJECT(p.chain_queue_), "leaky", leak ? "downstream" : "no");
  return GST_PAD_PROBE_OK;
}

// With a reduction, and with uncovered pictures: before a frame goes both to the chain and to tiles.
GstPadProbeReturn CameraPipeline::Callbacks::plan_picture(GstPad *pad, GstPadProbeInfo *info, gpointer user) {
  CameraPipeline &p = self(user);
  if (!p.plans_before_chain()) return GST_PAD_PROBE_OK;
  GstBuffer *picture = GST_PAD_PROBE_INFO_BUFFER(info);
  p.analysed_ = !p.encodes_ || p.is_due(pad, picture);
  if (!p.muted_) p.plan_->frame(now_ns(), running_time(pad, picture), p.analysed_ && p.config_.analysed);
  return GST_PAD_PROBE_OK;
}

// Sets what this very frame will show: cudamog takes its settings for each frame on this thread.
GstPadProbeReturn CameraPipeline::Callbacks::before_mog(GstPad *pad, GstPadProbeInfo *info, gpointer user) {
  CameraPipeline &p = self(user);
  if (p.muted_) return GST_PAD_PROBE_OK;
  if (p.turning_) p.look_whether_still(pad, GST_PAD_PROBE_INFO_BUFFER(info));
  const GstClockTime running = running_time(pad, GST_PAD_PROBE_INFO_BUFFER(info));
  const auto view = p.plans_before_chain() ? p.plan_->planned(running) : p.plan_->frame(now_ns(), running);
  if (!view || p.silhouettes_) return GST_PAD_PROBE_OK; // silhouettes_ need each frame's mask
  const View drawn = *view == View::overlay && p.tints() ? View::mask : *view;
  gst_util_set_object_arg(G_OBJECT(p.mog_), "output", outputs[static_cast<int>(drawn)]);
  return GST_PAD_PROBE_OK;
}

GstPadProbeReturn CameraPipeline::Callbacks::after_mog(GstPad *pad, GstPadProbeInfo *info, gpointer user) {
  CameraPipeline &p = self(user);
  if (p.muted_) return GST_PAD_PROBE_OK;
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER(info);
  if (p.turning_) {
    GST_PAD_PROBE_INFO_DATA(info) = buffer = gst_buffer_make_writable(buffer);
    gst_buffer_foreach_meta(buffer, guarded<drop_box, TRUE>, nullptr);
  }
  std::vector<Rect> boxes = p.see_boxes(pad, buffer);
  if (p.tints() && p.planned(pad, info) == View::overlay)
    p.tint_.put(buffer, running_time(pad, buffer), std::move(boxes));
  return GST_PAD_PROBE_OK;
}

GstPadProbeReturn CameraPipeline::Callbacks::after_chain(GstPad *pad, GstPadProbeInfo *info, gpointer user) {
  CameraPipeline &p = self(user);
  p.frames_out_++;
  p.latency_ms_ = (p.utc_.now() - p.time_of(pad, GST_PAD_PROBE_INFO_BUFFER(info))) * 1000;
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER(info);
  if (p.silhouettes_) p.silhouettes_->put(buffer, running_time(pad, buffer), p.knows_scene());
  if (p.crops_ && !p.muted_)
    p.crops_->see(buffer, running_time(pad, buffer), p.chain_width_, p.chain_height_);
  return GST_PAD_PROBE_OK;
}

GstPadProbeReturn CameraPipeline::Callbacks::picture_to_crop(GstPad *pad, GstPadProbeInfo *info,
                                                             gpointer user) {
  const CameraPipeline &p = self(user);
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER(info);
  if (!p.muted_) p.crops_->picture(buffer, running_time(pad, buffer));
  return GST_PAD_PROBE_OK;
}

std::optional<View> CameraPipeline::planned(GstPad *pad, GstPadProbeInfo *info) const {
  return muted_ ? std::nullopt : plan_->planned(running_time(pad, GST_PAD_PROBE_INFO_BUFFER(info)));
}

GstPadProbeReturn CameraPipeline::Callbacks::into_tiles(GstPad *pad, GstPadProbeInfo *info, gpointer user) {
  const auto view = self(user).planned(pad, info);
  return view && view != View::uncovered ? GST_PAD_PROBE_OK : GST_PAD_PROBE_DROP;
}

GstPadProbeReturn CameraPipeline::Callbacks::into_uncovered_tiles(GstPad *pad, GstPadProbeInfo *info,
                                                                  gpointer user) {
  return self(user).planned(pad, info) == View::uncovered ? GST_PAD_PROBE_OK : GST_PAD_PROBE_DROP;
}

GstPadProbeReturn CameraPipeline::Callbacks::into_plain_tiles(GstPad *pad, GstPadProbeInfo *info,
                                                              gpointer user) {
  const CameraPipeline &p = self(user);
  const auto view = p.planned(pad, info);
  const bool here = view == View::plain || (view == View::overlay && p.tints());
  return here ? GST_PAD_PROBE_OK : GST_PAD_PROBE_DROP;
}

GstPadProbeReturn CameraPipeline::Callbacks::into_view_tiles(GstPad *pad, GstPadProbeInfo *info,
                                                             gpointer user) {
  const CameraPipeline &p = self(user);
  const auto view = p.planned(pad, info);
  const bool here = view && view != View::plain && view != View::uncovered && !p.silhouettes_ &&
                    !(view == View::overlay && p.tints());
  return here ? GST_PAD_PROBE_OK : GST_PAD_PROBE_DROP;
}

GstPadProbeReturn CameraPipeline::Callbacks::tint_tile(GstPad *pad, GstPadProbeInfo *info, gpointer user) {
  CameraPipeline &p = self(user);
  if (p.planned(pad, info) != View::overlay) return GST_PAD_PROBE_OK;
  GstBuffer *own = gst_buffer_make_writable(GST_PAD_PROBE_INFO_BUFFER(info));
  GST_PAD_PROBE_INFO_DATA(info) = own;
  return p.tint_.draw(own, running_time(pad, own)) ? GST_PAD_PROBE_OK : GST_PAD_PROBE_DROP;
}

GstPadProbeReturn CameraPipeline::Callbacks::into_findings(GstPad *, GstPadProbeInfo *, gpointer user) {
  const CameraPipeline &p = self(user);
  return !p.muted_ && p.events_.findings_wanted() ? GST_PAD_PROBE_OK : GST_PAD_PROBE_DROP;
}

GstFlowReturn CameraPipeline::Callbacks::findings(GstAppSink *sink, gpointer user) {
  const CameraPipeline &p = self(user);
  const tools::SamplePtr sample(gst_app_sink_pull_sample(sink));
  if (!sample || p.muted_) return GST_FLOW_OK;
  GstBuffer *buffer = gst_sample_get_buffer(sample.get());
  const GstClockTime running = gst_segment_to_running_time(gst_sample_get_segment(sample.get()),
                                                           GST_FORMAT_TIME, GST_BUFFER_PTS(buffer));
  const tools::MappedBuffer map(buffer);
  if (!map) return GST_FLOW_OK;
  p.events_.findings(std::make_shared<const std::string>(map.bytes()),
                     Utc::monotonic_seconds() - p.age_of(running));
  return GST_FLOW_OK;
}

GstFlowReturn CameraPipeline::Callbacks::take_tile(GstAppSink *sink, CameraPipeline &p, bool covered) {
  const tools::SamplePtr sample(gst_app_sink_pull_sample(sink));
  const std::shared_lock delivery(p.delivery_);
  if (!sample || p.muted_) return GST_FLOW_OK;
  GstBuffer *buffer = gst_sample_get_buffer(sample.get());
  const GstClockTime running = gst_segment_to_running_time(gst_sample_get_segment(sample.get()),
                                                           GST_FORMAT_TIME, GST_BUFFER_PTS(buffer));
  // What comes by the way of uncovered pictures is one, whatever the plan says, and nothing else is.
  const std::optional<View> view = covered ? p.plan_->planned(running) : View::uncovered;
  const tools::MappedBuffer map(buffer);
  if (!view || !map || covered == (view == View::uncovered)) return GST_FLOW_OK;
  p.tiles_++;
  p.events_.picture(*view, p.utc_of(running), std::make_shared<const std::string>(map.bytes()));
  return GST_FLOW_OK;
}

GstFlowReturn CameraPipeline::Callbacks::tile(GstAppSink *sink, gpointer user) {
  return take_tile(sink, self(user), true);
}

GstFlowReturn CameraPipeline::Callbacks::uncovered_tile(GstAppSink *sink, gpointer user) {
  return take_tile(sink, self(user), false);
}

// Whether cudamog compares frames with what it has learnt of the scene before the camera.
bool CameraPipeline::knows_scene() const {
  if (turning_) return false;
  GstStructure *stats = nullptr;
  gboolean relearning = TRUE;
  g_object_get(mog_, "stats", &stats, nullptr);
  if (!stats) return false;
  const bool said = gst_structure_get_boolean(stats, "relearning", &relearning);
  gst_structure_free(stats);
  return said && !relearning;
}

void CameraPipeline::look_whether_still(GstPad *pad, GstBuffer *buffer) {
  const double now = Utc::monotonic_seconds();
  if (!still_.due(now)) return;
  const tools::CapsPtr caps(gst_pad_get_current_caps(pad));
  GstVideoInfo video;
  if (!caps || !gst_video_info_from_caps(&video, caps.get())) return;
  const tools::MappedFrame frame(buffer, video, GST_MAP_READ);
  if (frame) still_.look(brightness_of(frame.get()), now);
}

std::vector<Rect> CameraPipeline::see_boxes(GstPad *pad, GstBuffer *buffer) {
  const double time = time_of(pad, buffer), w = std::max(1, chain_width_.load()),
               h = std::max(1, chain_height_.load());
  std::vector<Rect> boxes;
  double area = 0;
  gpointer state = nullptr;
  while (auto *meta = reinterpret_cast<GstVideoRegionOfInterestMeta *>(
             gst_buffer_iterate_meta_filtered(buffer, &state, GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE))) {
    if (meta->roi_type != g_quark_from_static_string("motion")) continue;
    boxes.push_back({meta->x / w, meta->y / h, meta->w / w, meta->h / h});
    area += boxes.back().width * boxes.back().height;
  }
  events_.frame(time, boxes, area);
  auto *custom =
      gst_meta_get_info("vigil-fisher") ? gst_buffer_get_custom_meta(buffer, "vigil-fisher") : nullptr;
  if (!custom) return boxes;
  GstStructure *s = gst_custom_meta_get_structure(custom);
  const GValue *classes = gst_structure_get_value(s, "classes"),
               *smoothed = gst_structure_get_value(s, "smoothed"),
               *vector = gst_structure_get_value(s, "vector");
  std::map<std::string, double> scores;
  std::vector<float> floats;
  if (classes && smoothed && GST_VALUE_HOLDS_ARRAY(classes) && GST_VALUE_HOLDS_ARRAY(smoothed))
    for (guint i = 0; i < std::min(gst_value_array_get_size(classes), gst_value_array_get_size(smoothed));
         i++)
      scores[g_value_get_string(gst_value_array_get_value(classes, i))] =
          g_value_get_double(gst_value_array_get_value(smoothed, i));
  if (vector && G_VALUE_HOLDS(vector, G_TYPE_BYTES)) {
    gsize size = 0;
    const void *data = g_bytes_get_data(static_cast<GBytes *>(g_value_get_boxed(vector)), &size);
    floats.resize(size / sizeof(float));
    if (!floats.empty()) std::memcpy(floats.data(), data, floats.size() * sizeof(float));
  }
  events_.scores(std::move(scores), std::move(floats));
  return boxes;
}

} // namespace vigil::monitor
