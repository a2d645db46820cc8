// SPDX-License-Identifier: LGPL-2.1-or-later
#include "stream_bus.h"

#include "../config/text.h"
#include "../printable.h"
#include "common/guarded.h"
#include "gst/video/gst_ptr.h"

#include <cstring>
#include <utility>

namespace vigil::monitor {
namespace {

// Every text that a source causes passes here: a camera chooses some of its words.
std::string shown(const char *text) {
  return printable(mask_credentials(text), most_said);
}

// An error of GStreamer in words that help: its own texts say what failed inside.
std::string words_of(GstMessage *m) {
  GError *e = nullptr;
  gchar *d = nullptr;
  gst_message_parse_error(m, &e, &d);
  const gst::ErrorPtr error(e);
  const gst::TextPtr details(d);
  std::string why = shown(error->message);
  if (why.starts_with("No supported stream"))
    return "the camera answers, but offers no video"; // rtspsrc, all streams refused
  if (details && std::strstr(details.get(), "Redirect to"))
    return "the address sends on to another one, which is not followed: " + why;
  if (details && std::strstr(details.get(), "reason not-linked"))
    return "the source gives something, but no video"; // sound, say, which nothing takes
  // rtspsrc repeats itself where a person asks what to do.
  if (g_error_matches(e, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_AUTHORIZED))
    return "the camera refuses the user name or the password (" + why + ")";
  if (details && std::strstr(details.get(), "(404)"))
    return "the camera answers, but has no stream at this address (" + why + ")";
  if (details && std::strstr(details.get(), "Failed to connect"))
    return "nothing answers at this address: is the camera on, and are address and port right?";
  if (details) {
    // "file.c (123): function (): /GstPipeline:x/...:\nwhat happened"
    const std::string text = details.get();
    const std::size_t line = text.find('\n');
    if (line != std::string::npos && line + 1 < text.size())
      why += " (" + shown(text.c_str() + line + 1) + ")";
  }
  return why;
}

} // namespace

struct StreamBus::Callbacks {
  static StreamBus &self(gpointer user) { return *static_cast<StreamBus *>(user); }

  static GstBusSyncReply sync_message(GstBus *, GstMessage *m, gpointer user) {
    if (!self(user).contexts_.handle(m)) return GST_BUS_PASS;
    gst_message_unref(m);
    return GST_BUS_DROP;
  }
  static gboolean message(GstBus *, GstMessage *m, gpointer user) {
    if (!self(user).delivery_.ended()) self(user).receive(m);
    return G_SOURCE_CONTINUE;
  }
};

StreamBus::StreamBus(GstElement *pipeline, tools::SharedContexts &contexts, const FrameClock &clock,
                     const FrameDelivery &delivery, Calls calls)
    : pipeline_(pipeline), contexts_(contexts), clock_(clock), delivery_(delivery), calls_(std::move(calls)) {
}

void StreamBus::begin() {
  const gst::ObjectPtr<GstBus> bus(gst_element_get_bus(pipeline_));
  gst_bus_set_sync_handler(bus.get(), guarded<Callbacks::sync_message, GST_BUS_PASS>, this, nullptr);
  watch_ = gst_bus_add_watch(bus.get(), guarded<Callbacks::message, G_SOURCE_CONTINUE>, this);
}

void StreamBus::end() {
  if (!watch_) return;
  const gst::ObjectPtr<GstBus> bus(gst_element_get_bus(pipeline_));
  gst_bus_remove_watch(bus.get());
  watch_ = 0;
}

void StreamBus::receive(GstMessage *m) {
  switch (GST_MESSAGE_TYPE(m)) {
  case GST_MESSAGE_ERROR:
    calls_.failed(words_of(m));
    break;
  case GST_MESSAGE_EOS:
    calls_.ended();
    break;
  case GST_MESSAGE_WARNING: {
    GError *e = nullptr;
    gst_message_parse_warning(m, &e, nullptr);
    calls_.warning(shown(gst::ErrorPtr(e)->message));
    break;
  }
  case GST_MESSAGE_QOS: // what the chain itself drops is seen by what goes in and comes out
    if (!calls_.counts_drops_of(GST_MESSAGE_SRC(m))) drops_.heard(m);
    break;
  case GST_MESSAGE_ELEMENT: {
    guint64 running = GST_CLOCK_TIME_NONE;
    const GstStructure *s = gst_message_get_structure(m);
    if (s && gst_structure_has_name(s, "drop-msg")) {
      drops_.packet(s);
      break;
    }
    if (s) gst_structure_get_uint64(s, "running-time", &running);
    if (calls_.message) calls_.message(m, clock_.utc(running));
    break;
  }
  default:
    break;
  }
}

} // namespace vigil::monitor
