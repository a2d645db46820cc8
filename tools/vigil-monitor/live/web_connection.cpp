// SPDX-License-Identifier: LGPL-2.1-or-later
#include "web_connection.h"

#include "../camera/utc.h"
#include "common/error.h"
#include "common/guarded.h"
#include "gst/video/gst_ptr.h"
#include "ice_settings.h"
#include "tools/base/pipeline.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <future>
#include <gst/sdp/gstsdpmessage.h>
#include <mutex>
#include <utility>
// The library's interface is marked as one that may change.
#define GST_USE_UNSTABLE_API
#include <gst/webrtc/webrtc.h>

namespace vigil::monitor {
namespace {

constexpr std::chrono::seconds longest_reply(10);
using DescriptionPtr =
    std::unique_ptr<GstWebRTCSessionDescription, gst::Releaser<gst_webrtc_session_description_free>>;

// The answer of webrtcbin to one question, which comes on its own thread. The promise may live longer than
// this object.
class Reply {
 public:
  Reply() : state_(std::make_shared<State>()) {
    promise_ = gst_promise_new_with_change_func(guarded<changed>, new std::shared_ptr<State>(state_),
                                                guarded<forget>);
  }
  ~Reply() { gst_promise_unref(promise_); }
  Reply(const Reply &) = delete;
  Reply &operator=(const Reply &) = delete;
  GstPromise *promise() const { return promise_; }
  gst::StructurePtr wait(const char *what) {
    auto future = state_->reply.get_future();
    if (future.wait_for(longest_reply) != std::future_status::ready)
      fail(Error::Kind::device, "GStreamer's webrtcbin does not come to an end: ", what);
    gst::StructurePtr reply = future.get();
    GError *e = nullptr;
    if (reply && gst_structure_get(reply.get(), "error", G_TYPE_ERROR, &e, nullptr) && e) {
      const gst::ErrorPtr error(e);
      fail(Error::Kind::bad_data, what, ": ", error->message);
    }
    return reply;
  }

 private:
  struct State {
    std::promise<gst::StructurePtr> reply;
    std::atomic<bool> said = false;
  };
  static void changed(GstPromise *p, gpointer user) {
    State &s = **static_cast<std::shared_ptr<State> *>(user);
    if (s.said.exchange(true)) return;
    const GstStructure *reply =
        gst_promise_wait(p) == GST_PROMISE_RESULT_REPLIED ? gst_promise_get_reply(p) : nullptr;
    s.reply.set_value(gst::StructurePtr(reply ? gst_structure_copy(reply) : nullptr));
  }
  static void forget(gpointer user) { delete static_cast<std::shared_ptr<State> *>(user); }
  const std::shared_ptr<State> state_;
  GstPromise *promise_;
};

DescriptionPtr description_of(GstWebRTCSDPType type, const std::string &sdp) {
  GstSDPMessage *message = nullptr;
  if (gst_sdp_message_new_from_text(sdp.c_str(), &message) != GST_SDP_OK)
    fail(Error::Kind::bad_data, "GStreamer does not read the offer");
  return DescriptionPtr(gst_webrtc_session_description_new(type, message));
}

// A connection that is only disturbed may come back: that its browser says nothing ends it, too.
std::string shown_state(GstWebRTCPeerConnectionState s) {
  return s == GST_WEBRTC_PEER_CONNECTION_STATE_FAILED   ? "the connection failed"
         : s == GST_WEBRTC_PEER_CONNECTION_STATE_CLOSED ? "the browser left"
                                                        : "";
}

// Of the agent of ICE, which GStreamer shows as an object without a type of its own.
void set_if_there(GObject *object, const char *name, const char *value) {
  if (g_object_class_find_property(G_OBJECT_GET_CLASS(object), name))
    gst_util_set_object_arg(object, name, value);
}

} // namespace

struct WebConnection::Impl {
  News news;
  GstElement *pipeline = nullptr, *web = nullptr;
  bool turn = false;

  const double began = Utc::monotonic_seconds();
  std::atomic<double> heard = 0; // the last word of the browser
  std::atomic<GstWebRTCPeerConnectionState> state = GST_WEBRTC_PEER_CONNECTION_STATE_NEW;
  std::atomic<bool> failed = false, joined = false;
  std::atomic<int> candidates_taken = 0;

  std::mutex gathering_lock;
  std::condition_variable gathered_more;
  std::vector<std::string> candidates; // of this machine
  bool gathered = false;

  explicit Impl(News n) : news(std::move(n)) {}
  ~Impl() { end(); } // where set_up() threw
  void end();
  void set_up(const WebRtcConfig &, bool on_this_machine);
  void limit_addresses(const WebRtcConfig &, bool on_this_machine);
  void watch_words();
  static void on_candidate(GstElement *, guint, char *, gpointer);
  static void on_gathering(GstElement *, GParamSpec *, gpointer);
  static void on_state(GstElement *, GParamSpec *, gpointer);
  static void on_pad(GstElement *, GstPad *, gpointer);
  static void on_jitterbuffer(GstElement *, GstElement *, guint, guint, gpointer);
  static void on_word(GObject *, GstBuffer *, gpointer);
  static GstBusSyncReply on_message(GstBus *, GstMessage *, gpointer);
};

std::string WebConnection::missing() {
  for (const char *element : {"webrtcbin", "nicesink", "dtlsenc", "srtpenc", "rtpbin"})
    if (!tools::has_element(element))
      return std::string("GStreamer has no ") + element +
             "; install gstreamer1.0-plugins-bad and gstreamer1.0-nice";
  return "";
}

void WebConnection::prepare() {
  for (const char *element : {"webrtcbin", "nicesrc", "nicesink", "dtlssrtpdec", "dtlssrtpenc", "rtpbin",
                              "rtpfunnel", "rtph264pay", "rtph265pay", "appsrc", "appsink"})
    if (GstElement *e = gst_element_factory_make(element, nullptr)) {
      gst_object_ref_sink(e);
      gst_object_unref(e);
    }
}

WebConnection::WebConnection(const WebRtcConfig &config, bool on_this_machine, News news)
    : impl_(std::make_unique<Impl>(std::move(news))) {
  impl_->set_up(config, on_this_machine);
}

// Its threads use the object until it has ended.
WebConnection::~WebConnection() {
  impl_->end();
}

void WebConnection::Impl::end() {
  if (!pipeline) return;
  const gst::ObjectPtr<GstBus> bus(gst_element_get_bus(pipeline));
  // none instead of the guarded one
  gst_bus_set_sync_handler(bus.get(), nullptr, nullptr, nullptr);
  gst_element_set_state(pipeline, GST_STATE_NULL);
  if (web) g_signal_handlers_disconnect_by_data(web, this);
  gst_object_unref(std::exchange(pipeline, nullptr));
}

void WebConnection::Impl::set_up(const WebRtcConfig &config, bool on_this_machine) {
  pipeline = gst_pipeline_new(nullptr);
  gst_object_ref_sink(pipeline);
  const gst::ObjectPtr<GstClock> clock(gst_system_clock_obtain());
  gst_pipeline_use_clock(GST_PIPELINE(pipeline), clock.get());
  const gst::ObjectPtr<GstBus> bus(gst_element_get_bus(pipeline));
  gst_bus_set_sync_handler(bus.get(), guarded<on_message, GST_BUS_DROP>, this, nullptr);
  web = tools::make_element("webrtcbin");
  gst_bin_add(GST_BIN(pipeline), web);
  gst_util_set_object_arg(G_OBJECT(web), "bundle-policy", "max-bundle");
  limit_addresses(config, on_this_machine);
  if (const gst::ObjectPtr<GstElement> rtp(gst_bin_get_by_name(GST_BIN(web), "rtpbin")); rtp)
    g_signal_connect(rtp.get(), "new-jitterbuffer", G_CALLBACK(guarded<on_jitterbuffer>), this);
  g_signal_connect(web, "on-ice-candidate", G_CALLBACK(guarded<on_candidate>), this);
  g_signal_connect(web, "notify::ice-gathering-state", G_CALLBACK(guarded<on_gathering>), this);
  g_signal_connect(web, "notify::connection-state", G_CALLBACK(guarded<on_state>), this);
  g_signal_connect(web, "pad-added", G_CALLBACK(guarded<on_pad>), this);
}

void WebConnection::Impl::limit_addresses(const WebRtcConfig &config, bool on_this_machine) {
  GObject *found = nullptr;
  g_object_get(web, "ice-agent", &found, nullptr);
  if (!found) fail(Error::Kind::no_device, "webrtcbin has no agent of ICE");
  const gst::ObjectPtr<GObject> ice(found);
  set_if_there(ice.get(), "ice-tcp", "false");
  if (config.first_port) {
    set_if_there(ice.get(), "min-rtp-port", std::to_string(config.first_port).c_str());
    set_if_there(ice.get(), "max-rtp-port", std::to_string(config.last_port).c_str());
  }
  if (g_object_class_find_property(G_OBJECT_GET_CLASS(ice.get()), "agent")) {
    GObject *agent = nullptr;
    g_object_get(ice.get(), "agent", &agent, nullptr);
    if (agent) {
      set_if_there(agent, "upnp", "false"); // else the router would be asked for ports
      g_object_unref(agent);
    }
  }
  for (const std::string &address : own_addresses(on_this_machine)) {
    gboolean taken = FALSE;
    g_signal_emit_by_name(ice.get(), "add-local-ip-address", address.c_str(), &taken);
  }
  if (!config.stun.empty()) g_object_set(web, "stun-server", ("stun://" + config.stun).c_str(), nullptr);
  turn = !config.turn.empty();
  if (!turn) return;
  const gst::TextPtr user(g_uri_escape_string(config.turn_user.c_str(), nullptr, FALSE)),
      password(g_uri_escape_string(config.turn_password.c_str(), nullptr, FALSE));
  gboolean taken = FALSE;
  const std::string address = std::string("turn://") + user.get() + ":" + password.get() + "@" + config.turn;
  g_signal_emit_by_name(web, "add-turn-server", address.c_str(), &taken);
}

std::string WebConnection::negotiate(const Offer &from, const std::vector<Offer::Choice> &choices) {
  GstElement *const web = impl_->web;
  if (gst_element_set_state(impl_->pipeline, GST_STATE_PLAYING) == GST_STATE_CHANGE_FAILURE)
    fail(Error::Kind::no_device, "GStreamer's webrtcbin does not start");
  const DescriptionPtr offer = description_of(GST_WEBRTC_SDP_TYPE_OFFER, from.only(choices));
  {
    Reply reply;
    g_signal_emit_by_name(web, "set-remote-description", offer.get(), reply.promise());
    reply.wait("the offer");
  }
  DescriptionPtr answer;
  {
    Reply reply;
    g_signal_emit_by_name(web, "create-answer", nullptr, reply.promise());
    const gst::StructurePtr made = reply.wait("the answer");
    GstWebRTCSessionDescription *d = nullptr;
    if (made) gst_structure_get(made.get(), "answer", GST_TYPE_WEBRTC_SESSION_DESCRIPTION, &d, nullptr);
    answer.reset(d);
    if (!answer) fail(Error::Kind::device, "webrtcbin has no answer to the offer");
  }
  {
    Reply reply;
    g_signal_emit_by_name(web, "set-local-description", answer.get(), reply.promise());
    reply.wait("its own answer");
  }
  impl_->watch_words();
  std::vector<std::string> found;
  {
    Impl &i = *impl_;
    std::unique_lock guard(i.gathering_lock);
    constexpr std::chrono::seconds longest(5); // a server of STUN or TURN that does not answer
    i.gathered_more.wait_for(guard, longest, [&] { return i.gathered; });
    i.gathered_more.wait_for(guard, longest_reply, [&] { return i.gathered || !i.candidates.empty(); });
    found = i.candidates;
  }
  if (found.empty()) fail(Error::Kind::io, "no port is free for WebRTC, or this machine has no address");
  const gst::TextPtr sdp(gst_sdp_message_as_text(answer->sdp));
  for (const std::string &line : from.candidates()) candidate(line);
  return from.answer(sdp.get(), choices, found);
}

// Reports of what arrived come about once a second.
void WebConnection::Impl::watch_words() {
  const gst::ObjectPtr<GstElement> rtp(gst_bin_get_by_name(GST_BIN(web), "rtpbin"));
  GObject *session = nullptr;
  if (rtp) g_signal_emit_by_name(rtp.get(), "get-internal-session", 0u, &session);
  if (!session) fail(Error::Kind::device, "webrtcbin has no session of RTP");
  g_signal_connect(session, "on-receiving-rtcp", G_CALLBACK(guarded<on_word>), this);
  g_object_unref(session);
}

void WebConnection::Impl::on_word(GObject *, GstBuffer *, gpointer user) {
  static_cast<Impl *>(user)->heard = Utc::monotonic_seconds();
}

// rtpulpfecdec, which webrtcbin takes, aborts the program when it hears of a lost packet before it knows
// whose (GStreamer 1.22.0, gst_rtp_ulpfec_dec_handle_sink_event).
void WebConnection::Impl::on_jitterbuffer(GstElement *, GstElement *buffer, guint, guint, gpointer) {
  g_object_set(buffer, "do-lost", FALSE, nullptr);
}

void WebConnection::Impl::on_candidate(GstElement *, guint, char *candidate, gpointer user) {
  Impl &p = *static_cast<Impl *>(user);
  std::string line = candidate ? candidate : "";
  if (line.starts_with("a=")) line.erase(0, 2);
  if (!line.starts_with("candidate:")) return;
  const std::lock_guard guard(p.gathering_lock);
  p.candidates.push_back(line);
  p.gathered_more.notify_all();
}

void WebConnection::Impl::on_gathering(GstElement *web, GParamSpec *, gpointer user) {
  Impl &p = *static_cast<Impl *>(user);
  GstWebRTCICEGatheringState state = GST_WEBRTC_ICE_GATHERING_STATE_NEW;
  g_object_get(web, "ice-gathering-state", &state, nullptr);
  if (state != GST_WEBRTC_ICE_GATHERING_STATE_COMPLETE) return;
  const std::lock_guard guard(p.gathering_lock);
  p.gathered = true;
  p.gathered_more.notify_all();
}

void WebConnection::Impl::on_state(GstElement *web, GParamSpec *, gpointer user) {
  Impl &p = *static_cast<Impl *>(user);
  GstWebRTCPeerConnectionState state = GST_WEBRTC_PEER_CONNECTION_STATE_NEW;
  g_object_get(web, "connection-state", &state, nullptr);
  p.state = state;
  if (state != GST_WEBRTC_PEER_CONNECTION_STATE_CONNECTED || p.joined) return;
  p.heard = Utc::monotonic_seconds();
  if (!p.joined.exchange(true)) p.news.connected();
}

void WebConnection::Impl::on_pad(GstElement *, GstPad *pad, gpointer user) {
  if (gst_pad_get_direction(pad) == GST_PAD_SRC) static_cast<Impl *>(user)->news.arrives(pad);
}

// What webrtcbin says of a browser is no trouble of the program.
GstBusSyncReply WebConnection::Impl::on_message(GstBus *, GstMessage *m, gpointer user) {
  if (GST_MESSAGE_TYPE(m) == GST_MESSAGE_ERROR) static_cast<Impl *>(user)->failed = true;
  gst_message_unref(m);
  return GST_BUS_DROP;
}

GstElement *WebConnection::pipeline() const {
  return impl_->pipeline;
}
GstElement *WebConnection::webrtcbin() const {
  return impl_->web;
}

void WebConnection::candidate(const std::string &line) {
  constexpr int most = 32;
  if (!impl_->turn || !is_plain_candidate(line) || impl_->candidates_taken++ >= most) return;
  g_signal_emit_by_name(impl_->web, "add-ice-candidate", 0u, line.c_str());
}

void WebConnection::heard() {
  impl_->heard = Utc::monotonic_seconds();
}

bool WebConnection::connected() const {
  return impl_->joined;
}

std::string WebConnection::over(double now, double silence) const {
  if (impl_->failed) return "GStreamer's webrtcbin failed";
  if (const std::string why = shown_state(impl_->state); !why.empty()) return why;
  if (!impl_->joined) return now - impl_->began > to_connect ? "no connection was made" : "";
  return now - impl_->heard > silence ? "nothing was heard of the browser" : "";
}

} // namespace vigil::monitor
