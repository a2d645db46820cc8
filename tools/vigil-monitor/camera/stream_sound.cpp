// SPDX-License-Identifier: LGPL-2.1-or-later
#include "stream_sound.h"

#include "common/guarded.h"
#include "gst/video/gst_ptr.h"
#include "pipeline_element.h"
#include "source.h"
#include "tools/base/pipeline.h"

#include <utility>
#include <vector>

namespace vigil::monitor {

struct StreamSound::Callbacks {
  static GstFlowReturn sample(GstAppSink *sink, gpointer user, std::initializer_list<SoundForm> forms) {
    const StreamSound &s = *static_cast<StreamSound *>(user);
    const gst::SamplePtr sample(gst_app_sink_pull_sample(sink));
    const auto under_way = s.delivery_.under_way();
    if (!sample || s.delivery_.ended()) return GST_FLOW_OK;
    const double captured = s.clock_.monotonic(running_time(sample.get()));
    for (const SoundForm form : forms)
      s.take_(form, gst_sample_get_caps(sample.get()), gst_sample_get_buffer(sample.get()), captured);
    return GST_FLOW_OK;
  }
  static GstFlowReturn as_sent(GstAppSink *s, gpointer user) { return sample(s, user, {SoundForm::sent}); }
  static GstFlowReturn to_store(GstAppSink *s, gpointer user) { return sample(s, user, {SoundForm::stored}); }
  static GstFlowReturn of_both(GstAppSink *s, gpointer user) {
    return sample(s, user, {SoundForm::sent, SoundForm::stored});
  }
};

StreamSound::StreamSound(GstElement *pipeline, const FrameClock &clock, const FrameDelivery &delivery,
                         Take take)
    : pipeline_(pipeline), clock_(clock), delivery_(delivery), take_(std::move(take)) {}

GstElement *StreamSound::add_sink(GstElement *last, const char *caps,
                                  GstFlowReturn (*taken)(GstAppSink *, gpointer)) {
  GstElement *filter = add_element(pipeline_, "capsfilter"), *sink = add_element(pipeline_, "appsink");
  const gst::CapsPtr wanted(gst_caps_from_string(caps));
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

void StreamSound::link(GstPad *pad) {
  const gst::CapsPtr caps(gst_pad_get_current_caps(pad));
  const auto chain = sound_chain(caps.get());
  if (!chain) return;
  std::vector<GstElement *> elements;
  for (const char *factory : chain->elements) elements.push_back(add_element(pipeline_, factory));
  if (chain->stored.empty()) {
    add_sink(elements.back(), chain->caps, guarded<Callbacks::of_both, GST_FLOW_ERROR>);
  } else {
    elements.push_back(add_element(pipeline_, "tee"));
    for (const char *factory : chain->stored) elements.push_back(add_element(pipeline_, factory));
    add_sink(elements[chain->elements.size()], chain->caps, guarded<Callbacks::as_sent, GST_FLOW_ERROR>);
    add_sink(elements.back(), chain->stored_caps, guarded<Callbacks::to_store, GST_FLOW_ERROR>);
  }
  for (std::size_t i = 1; i < elements.size(); i++) tools::link({elements[i - 1], elements[i]});
  for (std::size_t i = elements.size(); i-- > 0;) gst_element_sync_state_with_parent(elements[i]);
  const gst::ObjectPtr<GstPad> in(gst_element_get_static_pad(elements.front(), "sink"));
  gst_pad_link(pad, in.get());
}

} // namespace vigil::monitor
