// SPDX-License-Identifier: LGPL-2.1-or-later
#include "recorder_sink.h"

#include "common/guarded.h"
#include "gst/video/gst_ptr.h"
#include "pipeline_element.h"
#include "tools/base/pipeline.h"

#include <utility>

namespace vigil::monitor {

RecorderSink::RecorderSink(GstElement *pipeline, const FrameClock &clock, const FrameDelivery &delivery,
                           Calls calls)
    : pipeline_(pipeline), clock_(clock), delivery_(delivery), calls_(std::move(calls)) {}

GstElement *RecorderSink::add(std::initializer_list<GstElement *> between, const char *caps_text) {
  GstElement *filter = add_element(pipeline_, "capsfilter"), *sink = add_element(pipeline_, "appsink");
  const gst::CapsPtr caps(gst_caps_from_string(caps_text));
  g_object_set(filter, "caps", caps.get(), nullptr);
  g_object_set(sink, "sync", FALSE, "async", FALSE, "max-buffers", 0u, nullptr);
  GstAppSinkCallbacks callbacks{};
  callbacks.new_sample = guarded<RecorderSink::sample>;
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

GstFlowReturn RecorderSink::sample(GstAppSink *sink, gpointer user) {
  const RecorderSink &r = *static_cast<RecorderSink *>(user);
  const gst::SamplePtr sample(gst_app_sink_pull_sample(sink));
  const auto under_way = r.delivery_.under_way();
  if (!sample || r.delivery_.ended()) return GST_FLOW_OK;
  r.calls_.caps(gst_sample_get_caps(sample.get()));
  GstBuffer *buffer = gst_sample_get_buffer(sample.get());
  const GstClockTime t = GST_BUFFER_DTS_IS_VALID(buffer) ? GST_BUFFER_DTS(buffer) : GST_BUFFER_PTS(buffer);
  const GstClockTime running =
      gst_segment_to_running_time(gst_sample_get_segment(sample.get()), GST_FORMAT_TIME, t);
  r.calls_.frame(buffer, r.clock_.monotonic(running));
  return GST_FLOW_OK;
}

} // namespace vigil::monitor
