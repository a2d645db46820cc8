// SPDX-License-Identifier: LGPL-2.1-or-later
#include "findings_branch.h"

#include "common/guarded.h"
#include "gst/video/gst_ptr.h"
#include "pipeline_element.h"
#include "tools/base/mapped.h"
#include "tools/base/pipeline.h"

#include <memory>
#include <utility>

namespace vigil::monitor {

struct FindingsBranch::Callbacks {
  static const FindingsBranch &self(gpointer user) { return *static_cast<const FindingsBranch *>(user); }

  static GstPadProbeReturn frame(GstPad *, GstPadProbeInfo *, gpointer user) {
    const FindingsBranch &b = self(user);
    return !b.delivery_.ended() && b.calls_.wanted() ? GST_PAD_PROBE_OK : GST_PAD_PROBE_DROP;
  }
  static GstFlowReturn document(GstAppSink *sink, gpointer user) {
    const FindingsBranch &b = self(user);
    const gst::SamplePtr sample(gst_app_sink_pull_sample(sink));
    if (!sample || b.delivery_.ended()) return GST_FLOW_OK;
    const GstClockTime running = running_time(sample.get());
    const tools::MappedBuffer map(gst_sample_get_buffer(sample.get()));
    if (!map) return GST_FLOW_OK;
    b.calls_.document(std::make_shared<const std::string>(map.bytes()), b.clock_.monotonic(running));
    return GST_FLOW_OK;
  }
};

FindingsBranch::FindingsBranch(GstElement *pipeline, const FrameClock &clock, const FrameDelivery &delivery,
                               Calls calls)
    : pipeline_(pipeline), clock_(clock), delivery_(delivery), calls_(std::move(calls)) {}

GstElement *FindingsBranch::build(GstElement *last, const std::string &camera) {
  GstElement *tee = add_element(pipeline_, "tee"), *queue = add_element(pipeline_, "queue"),
             *onvif = add_element(pipeline_, "onvifmeta"), *sink = add_element(pipeline_, "appsink");
  constexpr guint waiting = 32;
  g_object_set(queue, "max-size-buffers", waiting, "max-size-bytes", 0, "max-size-time", guint64{0}, nullptr);
  gst_util_set_object_arg(G_OBJECT(queue), "leaky", "downstream");
  g_object_set(onvif, "video-source", camera.c_str(), nullptr);
  g_object_set(sink, "sync", FALSE, "async", FALSE, "max-buffers", waiting, "drop", TRUE, nullptr);
  tools::link({last, tee, queue, onvif, sink});
  const gst::ObjectPtr<GstPad> pad(gst_element_get_static_pad(queue, "sink"));
  gst_pad_add_probe(pad.get(), GST_PAD_PROBE_TYPE_BUFFER, guarded<Callbacks::frame, GST_PAD_PROBE_DROP>, this,
                    nullptr);
  GstAppSinkCallbacks callbacks{};
  callbacks.new_sample = guarded<Callbacks::document>;
  gst_app_sink_set_callbacks(GST_APP_SINK(sink), &callbacks, this, nullptr);
  return tee;
}

} // namespace vigil::monitor
