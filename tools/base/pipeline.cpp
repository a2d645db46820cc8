// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipeline.h"

#include "common/error.h"
#include "video_track.h"

#include <cstdio>
#include <gst/app/gstappsink.h>
#include <gst/video/video.h>
#include <mutex>
#include <set>
#include <vector>

namespace vigil::tools {

namespace {

std::string caps_of(GstElement *element, GstPadDirection direction) {
  std::string all;
  for (GList *i = direction == GST_PAD_SRC ? element->srcpads : element->sinkpads; i; i = i->next) {
    gst::CapsPtr caps(gst_pad_query_caps(GST_PAD(i->data), nullptr));
    gst::TextPtr words(gst_caps_to_string(caps.get()));
    all += (all.empty() ? "" : " | ") + std::string(words.get());
  }
  return all.empty() ? "nothing" : all;
}

std::string describe(GstMessage *message, void (*parse)(GstMessage *, GError **, gchar **)) {
  GError *error = nullptr;
  gchar *details = nullptr;
  parse(message, &error, &details);
  gst::ErrorPtr error_owner(error);
  gst::TextPtr details_owner(details);
  std::string words = error->message;
  // The details begin with a place in the source; what happened, if more is known, is in the last line.
  const std::string all = details ? details : "";
  if (const auto line = all.find_last_of('\n'); line != std::string::npos && line + 1 < all.size())
    words += " (" + all.substr(line + 1) + ")";
  return words;
}

} // namespace

bool has_element(const char *factory) {
  return gst::ObjectPtr<GstElementFactory>(gst_element_factory_find(factory)) != nullptr;
}

GstElement *make_element(const char *factory, const char *name) {
  GstElement *element = gst_element_factory_make(factory, name);
  if (!element)
    fail(Error::Kind::no_device, "GStreamer has no element ", factory,
         "; install the plugin that has it, or set GST_PLUGIN_PATH to its folder");
  return element;
}

void send_parameter_sets(GstElement *source) {
  constexpr gboolean all = TRUE;
  gst_element_send_event(source, gst_video_event_new_downstream_force_key_unit(
                                     GST_CLOCK_TIME_NONE, GST_CLOCK_TIME_NONE, GST_CLOCK_TIME_NONE, all, 0));
}

void link(std::initializer_list<GstElement *> elements) {
  for (auto a = elements.begin(), b = a + 1; b != elements.end(); ++a, ++b)
    if (!gst_element_link(*a, *b))
      fail(Error::Kind::bad_setting, "cannot link ", GST_ELEMENT_NAME(*a), " to ", GST_ELEMENT_NAME(*b),
           ": one gives ", caps_of(*a, GST_PAD_SRC), ", the other takes ", caps_of(*b, GST_PAD_SINK));
}

namespace {

void on_no_more_pads(GstElement *decoder, GstElement *next) {
  gst::ObjectPtr<GstPad> sink(gst_element_get_static_pad(next, "sink"));
  if (gst_pad_is_linked(sink.get())) return;
  if (const auto pad = best_video_pad(decoder)) gst_pad_link(pad.get(), sink.get());
  if (!gst_pad_is_linked(sink.get()))
    GST_ELEMENT_ERROR(decoder, STREAM, WRONG_TYPE, ("there is no video in the input"), (nullptr));
}

} // namespace

void link_video(GstElement *decoder, GstElement *next) {
  g_signal_connect(decoder, "no-more-pads", G_CALLBACK(on_no_more_pads), next);
}

Pipeline::Pipeline() : pipeline_(GST_ELEMENT(gst_object_ref_sink(gst_pipeline_new(nullptr)))) {
  bus_.reset(gst_element_get_bus(element()));
}

Pipeline::~Pipeline() {
  gst_element_set_state(element(), GST_STATE_NULL);
}

GstElement *Pipeline::add(GstElement *e) const {
  gst_bin_add(bin(), e);
  return e;
}

// A sink that is full, or that has the end of stream and frames, waits with a lock held that its change to
// PLAYING needs, and nobody takes frames from it before that is over: so none waits meanwhile.
void Pipeline::play() {
  std::vector<std::pair<GstAppSink *, guint>> limits;
  for (GList *l = GST_BIN_CHILDREN(element()); l; l = l->next)
    if (GST_IS_APP_SINK(l->data)) {
      auto *sink = GST_APP_SINK(l->data);
      limits.emplace_back(sink, gst_app_sink_get_max_buffers(sink));
      gst_app_sink_set_max_buffers(sink, 0); // no limit
      gst_app_sink_set_wait_on_eos(sink, FALSE);
    }
  const GstStateChangeReturn change = gst_element_set_state(element(), GST_STATE_PLAYING);
  for (const auto &[sink, limit] : limits) {
    gst_app_sink_set_max_buffers(sink, limit);
    gst_app_sink_set_wait_on_eos(sink, TRUE);
  }
  if (change != GST_STATE_CHANGE_FAILURE) return;
  work_off_messages();
  fail(Error::Kind::device, "the pipeline cannot start");
}

// A source takes the event under its stream lock, which it holds while it waits for room in a full sink. So
// this must not be done by the thread that takes the frames from those sinks.
void Pipeline::end() {
  gst_element_call_async(
      element(),
      [](GstElement *e, gpointer) {
        while (!gst_element_send_event(e, gst_event_new_eos()) && GST_STATE_TARGET(e) > GST_STATE_READY)
          g_usleep(10 * 1000); // it has not started yet
      },
      nullptr, nullptr);
}

void Pipeline::work_off_messages(GstClockTime wait) {
  if (gst::MessagePtr m{gst_bus_timed_pop(bus_.get(), wait)}) handle(m.get());
  while (gst::MessagePtr m{gst_bus_pop(bus_.get())}) handle(m.get());
}

namespace {

// True the first time in this program. Pipelines of several threads warn at the same time.
bool is_new(const std::string &words) {
  static std::mutex lock;
  static std::set<std::string> said;
  const std::lock_guard guard(lock);
  return said.insert(words).second;
}

} // namespace

void Pipeline::handle(GstMessage *message) {
  switch (GST_MESSAGE_TYPE(message)) {
  case GST_MESSAGE_ERROR:
    fail(Error::Kind::device, GST_MESSAGE_SRC_NAME(message), ": ",
         describe(message, gst_message_parse_error));
  case GST_MESSAGE_WARNING:
    if (const std::string words = describe(message, gst_message_parse_warning); is_new(words))
      std::fprintf(stderr, "warning: %s: %s\n", GST_MESSAGE_SRC_NAME(message), words.c_str());
    break;
  case GST_MESSAGE_EOS:
    ended_ = true;
    break;
  case GST_MESSAGE_ELEMENT:
    if (on_element_message) on_element_message(message);
    break;
  default:
    break;
  }
}

} // namespace vigil::tools
