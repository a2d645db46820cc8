// SPDX-License-Identifier: LGPL-2.1-or-later
#include "tile_branch.h"

#include "common/guarded.h"
#include "gpu_pictures.h"
#include "gst/video/gst_ptr.h"
#include "pipeline_element.h"
#include "tools/base/mapped.h"
#include "tools/base/pipeline.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

namespace vigil::monitor {

struct TileBranch::Callbacks {
  static TileBranch &self(gpointer user) { return *static_cast<TileBranch *>(user); }

  static GstPadProbeReturn frame(GstPad *pad, GstPadProbeInfo *info, gpointer user) {
    const TileBranch &b = self(user);
    const auto view = b.planned(running_time(pad, GST_PAD_PROBE_INFO_BUFFER(info)));
    return view && b.use_.shows(*view) ? GST_PAD_PROBE_OK : GST_PAD_PROBE_DROP;
  }
  static GstPadProbeReturn caps_to_tint(GstPad *, GstPadProbeInfo *info, gpointer user) {
    if (const auto video = video_of(info)) self(user).use_.tint->picture_caps(*video);
    return GST_PAD_PROBE_OK;
  }
  static GstPadProbeReturn tint(GstPad *pad, GstPadProbeInfo *info, gpointer user) {
    TileBranch &b = self(user);
    if (b.planned(running_time(pad, GST_PAD_PROBE_INFO_BUFFER(info))) != View::overlay)
      return GST_PAD_PROBE_OK;
    GstBuffer *own = gst_buffer_make_writable(GST_PAD_PROBE_INFO_BUFFER(info));
    GST_PAD_PROBE_INFO_DATA(info) = own;
    return b.use_.tint->draw(own, running_time(pad, own)) ? GST_PAD_PROBE_OK : GST_PAD_PROBE_DROP;
  }
  static GstFlowReturn tile(GstAppSink *sink, gpointer user) {
    const gst::SamplePtr sample(gst_app_sink_pull_sample(sink));
    return self(user).take(sample.get());
  }
};

TileBranch::TileBranch(GstElement *pipeline, const FrameClock &clock, const FrameDelivery &delivery,
                       std::shared_ptr<TilePlan> plan, TileOutput &output, Use use)
    : pipeline_(pipeline), clock_(clock), delivery_(delivery), plan_(std::move(plan)), output_(output),
      use_(std::move(use)) {}

void TileBranch::build(GstElement *last) {
  GstElement *queue = add_element(pipeline_, "queue"), *scale = add_element(pipeline_, "videoscale"),
             *convert = add_element(pipeline_, "videoconvert"), *encode = add_element(pipeline_, "jpegenc"),
             *sink = add_element(pipeline_, "appsink");
  size_ = add_element(pipeline_, "capsfilter");
  if (on_gpu()) {
    GstElement *download = add_element(pipeline_, "cudadownload");
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
  tools::link({scale, size_, convert, encode, sink});
  GstAppSinkCallbacks callbacks{};
  callbacks.new_sample = guarded<Callbacks::tile>;
  gst_app_sink_set_callbacks(GST_APP_SINK(sink), &callbacks, this, nullptr);
  const gst::ObjectPtr<GstPad> in(gst_element_get_static_pad(queue, "sink"));
  gst_pad_add_probe(in.get(), GST_PAD_PROBE_TYPE_BUFFER, guarded<Callbacks::frame, GST_PAD_PROBE_DROP>, this,
                    nullptr);
  const gst::ObjectPtr<GstPad> ready(gst_element_get_static_pad(encode, "sink"));
  if (use_.tint) {
    gst_pad_add_probe(ready.get(), GST_PAD_PROBE_TYPE_BUFFER, guarded<Callbacks::tint, GST_PAD_PROBE_OK>,
                      this, nullptr);
    gst_pad_add_probe(ready.get(), GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM,
                      guarded<Callbacks::caps_to_tint, GST_PAD_PROBE_OK>, this, nullptr);
  }
  if (!use_.uncovered) output_.cover(ready.get());
}

void TileBranch::set_height(int tile_height) {
  const int w = use_.size.shown_width(), h = use_.size.height();
  if (w <= 0 || h <= 0) return;
  const int out_h = std::min(tile_height, h) & ~1;
  const int out_w = std::max(2, static_cast<int>(std::lround(static_cast<double>(w) * out_h / h)) & ~1);
  const gst::CapsPtr caps(gst_caps_new_simple("video/x-raw", "width", G_TYPE_INT, out_w, "height", G_TYPE_INT,
                                              std::max(2, out_h), "pixel-aspect-ratio", GST_TYPE_FRACTION, 1,
                                              1, nullptr));
  g_object_set(size_, "caps", caps.get(), nullptr);
}

std::optional<View> TileBranch::planned(GstClockTime running) const {
  return delivery_.ended() ? std::nullopt : plan_->planned(running);
}

GstFlowReturn TileBranch::take(GstSample *sample) {
  const auto under_way = delivery_.under_way();
  if (!sample || delivery_.ended()) return GST_FLOW_OK;
  const GstClockTime running = running_time(sample);
  // What comes by the way of uncovered pictures is one, whatever the plan says, and nothing else is.
  const std::optional<View> view = use_.uncovered ? View::uncovered : plan_->planned(running);
  const tools::MappedBuffer map(gst_sample_get_buffer(sample));
  if (!view || !map || use_.uncovered != (view == View::uncovered)) return GST_FLOW_OK;
  output_.tiles++;
  output_.picture(*view, clock_.utc(running), std::make_shared<const std::string>(map.bytes()));
  return GST_FLOW_OK;
}

} // namespace vigil::monitor
