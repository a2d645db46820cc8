// SPDX-License-Identifier: LGPL-2.1-or-later
#include "back_channel.h"

#include "../camera/source.h"
#include "../camera/utc.h"
#include "../config/text.h"
#include "../printable.h"
#include "common/error.h"
#include "common/guarded.h"
#include "gst/video/gst_ptr.h"
#include "tools/base/pipeline.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string_view>
#include <utility>

namespace vigil::monitor {
namespace {

constexpr std::size_t most_of_a_reason = 200;

struct BackCaps {
  std::string kind, codec;
  int payload = -1, clock = 0;
  bool to_camera = false;
};
BackCaps read_back_caps(const GstCaps *caps) {
  BackCaps out;
  const GstStructure *s = caps && gst_caps_get_size(caps) ? gst_caps_get_structure(caps, 0) : nullptr;
  if (!s) return out;
  const auto word = [s](const char *name) {
    const char *text = gst_structure_get_string(s, name);
    return std::string(text ? text : "");
  };
  out.kind = word("media");
  out.codec = word("encoding-name");
  gst_structure_get_int(s, "payload", &out.payload);
  gst_structure_get_int(s, "clock-rate", &out.clock);
  out.to_camera = gst_structure_has_field(s, "a-sendonly"); // seen from the camera's client
  return out;
}

// What the camera answered, when it refused; 0: it did not answer, or not by a status.
guint rtsp_status_of(GstMessage *m) {
  const GstStructure *details = nullptr;
  gst_message_parse_error_details(m, &details);
  guint status = 0;
  if (details) gst_structure_get_uint(details, "rtsp-status-code", &status);
  return status;
}

// A status that says nothing about a back channel: the password, the path, a camera that is busy.
bool says_nothing(guint status) {
  return status == 0 || status == 401 || status == 403 || status == 404 || status == 453 || status == 503;
}

} // namespace

struct BackChannel::Connection {
  Connection(const std::string &address, bool talks);
  ~Connection() { stop(); }
  Connection(const Connection &) = delete;
  Connection &operator=(const Connection &) = delete;
  void stop();
  // Until the camera has answered, or will not. False: it was not wanted any longer, or took too long.
  bool wait(const Wanted &);

  const bool talks; // else it only asks
  std::atomic<bool> ended = false;
  const gst::ObjectPtr<GstElement> pipeline;
  GstElement *source = nullptr; // of the pipeline

  std::mutex lock;
  std::condition_variable news;
  std::optional<SpeechForm> form;
  guint stream = 0;
  std::string other_codecs, error; // error: why it is over
  bool streams_known = false, opened = false, refused = false;

 private:
  static gboolean select(GstElement *, guint, GstCaps *, gpointer);
  static GstBusSyncReply message(GstBus *, GstMessage *, gpointer);
};

BackChannel::Connection::Connection(const std::string &address, bool t)
    : talks(t), pipeline(GST_ELEMENT(gst_object_ref_sink(gst_pipeline_new(nullptr)))) {
  const gst::ObjectPtr<GstBus> bus(gst_element_get_bus(pipeline.get()));
  gst_bus_set_sync_handler(bus.get(), guarded<message, GST_BUS_DROP>, this, nullptr);
  source = make_rtsp_source(address, false);
  gst_bin_add(GST_BIN(pipeline.get()), source);
  gst_util_set_object_arg(G_OBJECT(source), "backchannel", "onvif");
  g_signal_connect(source, "select-stream", G_CALLBACK((guarded<select, FALSE>)), this);
  gst_element_set_state(pipeline.get(), talks ? GST_STATE_PLAYING : GST_STATE_PAUSED);
}

void BackChannel::Connection::stop() {
  if (ended.exchange(true)) return;
  const gst::ObjectPtr<GstBus> bus(gst_element_get_bus(pipeline.get()));
  // none instead of the guarded one
  gst_bus_set_sync_handler(bus.get(), nullptr, nullptr, nullptr);
  gst_element_set_state(pipeline.get(), GST_STATE_NULL);
  g_signal_handlers_disconnect_by_data(source, this);
}

// Pictures and sound of the camera are not asked for.
gboolean BackChannel::Connection::select(GstElement *, guint number, GstCaps *caps, gpointer user) {
  Connection &c = *static_cast<Connection *>(user);
  const BackCaps found = read_back_caps(caps);
  const std::lock_guard guard(c.lock);
  c.streams_known = true;
  if (!found.to_camera || found.kind != "audio") return FALSE;
  constexpr int clock = 8000, most_payload = 127;
  const bool mu = found.codec == "PCMU", a = found.codec == "PCMA";
  if ((!mu && !a) || found.clock != clock || found.payload < 0 || found.payload > most_payload) {
    if (c.other_codecs.size() < most_of_a_reason)
      c.other_codecs += (c.other_codecs.empty() ? "" : ", ") + printable(found.codec, 20);
    return FALSE;
  }
  if (c.form && c.stream != number) return FALSE; // one is enough
  c.form = SpeechForm{mu ? G711::mu_law : G711::a_law, found.payload};
  c.stream = number;
  return c.talks;
}

GstBusSyncReply BackChannel::Connection::message(GstBus *, GstMessage *m, gpointer user) {
  Connection &c = *static_cast<Connection *>(user);
  const gst::MessagePtr owner(m);
  if (GST_MESSAGE_TYPE(m) == GST_MESSAGE_ERROR) {
    GError *e = nullptr;
    gst_message_parse_error(m, &e, nullptr);
    const gst::ErrorPtr error(e);
    const guint status = rtsp_status_of(m);
    const std::lock_guard guard(c.lock);
    // That no description comes is how GStreamer says of some cameras that they refuse.
    if (g_error_matches(e, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS) || !says_nothing(status))
      c.refused = true;
    if (c.error.empty()) c.error = printable(mask_credentials(e->message), most_of_a_reason);
    if (status) c.error += text(" (", status, ")");
  } else if (GST_MESSAGE_TYPE(m) == GST_MESSAGE_WARNING) {
    GError *e = nullptr;
    gst_message_parse_warning(m, &e, nullptr);
    const gst::ErrorPtr warning(e);
    const std::lock_guard guard(c.lock);
    // That the other side closed is a warning, since there may be pictures that are not shown yet.
    if (g_error_matches(e, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_READ) && c.error.empty())
      c.error = "the camera closed the connection";
  } else if (GST_MESSAGE_TYPE(m) == GST_MESSAGE_PROGRESS) {
    GstProgressType type = GST_PROGRESS_TYPE_ERROR;
    gchar *code = nullptr;
    gst_message_parse_progress(m, &type, &code, nullptr);
    const gst::TextPtr word(code);
    const std::lock_guard guard(c.lock);
    // PLAY is answered.
    c.opened = c.opened || (type == GST_PROGRESS_TYPE_COMPLETE && std::string_view(code) == "request");
  }
  c.news.notify_all();
  return GST_BUS_DROP;
}

bool BackChannel::Connection::wait(const Wanted &wanted) {
  constexpr std::chrono::milliseconds often(200);
  const double until = Utc::monotonic_seconds() + longest_look;
  std::unique_lock guard(lock);
  while (error.empty() && !opened) {
    guard.unlock();
    if (!wanted() || Utc::monotonic_seconds() > until) return false;
    guard.lock();
    if (error.empty() && !opened) news.wait_for(guard, often);
  }
  return true;
}

Loudspeaker::Look BackChannel::look(const std::string &address, const Wanted &wanted) {
  Connection c(address, false);
  const bool answered = c.wait(wanted);
  c.stop();
  Look out;
  const std::lock_guard guard(c.lock);
  out.form = c.form;
  out.answered = c.streams_known || c.refused;
  if (!c.other_codecs.empty())
    out.why = "its back channel takes " + c.other_codecs + ", and none of G.711";
  else if (out.answered)
    out.why = "the camera has no back channel";
  else
    out.why = answered ? "it could not be asked for its back channel: " + c.error
                       : "it did not answer when it was asked for its back channel";
  if (out.form) out.why.clear();
  return out;
}

BackChannel::BackChannel(const std::string &address, const Wanted &wanted)
    : connection_(std::make_unique<Connection>(address, true)) {
  Connection &c = *connection_;
  const bool answered = c.wait(wanted);
  const std::lock_guard guard(c.lock);
  if (!answered || !c.error.empty() || !c.form)
    fail(Error::Kind::io,
         "the camera does not open its back channel: ", c.error.empty() ? "it does not answer" : c.error);
}

BackChannel::~BackChannel() = default;

SpeechForm BackChannel::form() const {
  return *connection_->form; // it does not change once it is there
}

// The signal takes the reference over. (push-backchannel-sample does so in some versions of GStreamer alone.)
void BackChannel::send(GstSample *sample) {
  Connection &c = *connection_;
  if (c.ended) return;
  GstFlowReturn result = GST_FLOW_OK;
  g_signal_emit_by_name(c.source, "push-backchannel-buffer", c.stream, gst_sample_ref(sample), &result);
  if (result >= GST_FLOW_OK || result == GST_FLOW_FLUSHING) return;
  const std::lock_guard guard(c.lock);
  if (c.error.empty()) c.error = "the camera takes no more speech";
}

void BackChannel::end() {
  connection_->stop();
}

std::string BackChannel::why_over() const {
  Connection &c = *connection_;
  const std::lock_guard guard(c.lock);
  return c.error.empty() ? "" : "the camera's back channel ended: " + c.error;
}

} // namespace vigil::monitor
