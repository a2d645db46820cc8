// SPDX-License-Identifier: LGPL-2.1-or-later
#include "web_peer.h"

#include "../camera/utc.h"
#include "../config/text.h"
#include "common/error.h"
#include "common/guarded.h"
#include "ice_settings.h"
#include "tools/base/gst_ptr.h"
#include "tools/base/pipeline.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <future>
#include <gst/app/gstappsrc.h>
#include <gst/sdp/gstsdpmessage.h>
#include <mutex>
#include <random>
#include <utility>
// The library's interface is marked as one that may change.
#define GST_USE_UNSTABLE_API
#include <gst/webrtc/webrtc.h>

namespace vigil::monitor {
namespace {

constexpr std::size_t rtp_header_bytes = 12;
constexpr std::chrono::seconds longest_reply(10);
using DescriptionPtr =
    std::unique_ptr<GstWebRTCSessionDescription, tools::Releaser<gst_webrtc_session_description_free>>;

struct StructureRelease {
  void operator()(GstStructure *s) const { gst_structure_free(s); }
};
using StructurePtr = std::unique_ptr<GstStructure, StructureRelease>;

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
  StructurePtr wait(const char *what) {
    auto future = state_->reply.get_future();
    if (future.wait_for(longest_reply) != std::future_status::ready)
      fail(Error::Kind::device, "GStreamer's webrtcbin does not come to an end: ", what);
    StructurePtr reply = future.get();
    GError *e = nullptr;
    if (reply && gst_structure_get(reply.get(), "error", G_TYPE_ERROR, &e, nullptr) && e) {
      const tools::ErrorPtr error(e);
      fail(Error::Kind::bad_data, what, ": ", error->message);
    }
    return reply;
  }

 private:
  struct State {
    std::promise<StructurePtr> reply;
    std::atomic<bool> said = false;
  };
  static void changed(GstPromise *p, gpointer user) {
    State &s = **static_cast<std::shared_ptr<State> *>(user);
    if (s.said.exchange(true)) return;
    const GstStructure *reply =
        gst_promise_wait(p) == GST_PROMISE_RESULT_REPLIED ? gst_promise_get_reply(p) : nullptr;
    s.reply.set_value(StructurePtr(reply ? gst_structure_copy(reply) : nullptr));
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

std::uint32_t random_number() {
  std::random_device random;
  return random();
}

// A connection that is only disturbed may come back: that its viewer says nothing ends it, too.
std::string shown_state(GstWebRTCPeerConnectionState s) {
  return s == GST_WEBRTC_PEER_CONNECTION_STATE_FAILED   ? "the connection failed"
         : s == GST_WEBRTC_PEER_CONNECTION_STATE_CLOSED ? "the viewer left"
                                                        : "";
}

// Of the agent of ICE, which GStreamer shows as an object without a type of its own.
void set_if_there(GObject *object, const char *name, const char *value) {
  if (g_object_class_find_property(G_OBJECT_GET_CLASS(object), name))
    gst_util_set_object_arg(object, name, value);
}

} // namespace

struct WebPeer::Impl {
  // Packets leave with a name, numbers and times of this viewer's own.
  struct Track {
    GstAppSrc *source = nullptr;
    std::uint8_t payload = 0;
    std::uint32_t ssrc = random_number(), time_offset = random_number();
    std::uint16_t sequence = static_cast<std::uint16_t>(random_number());
  };
  static GstBuffer *packet_for(Track &, GstBuffer *packet, std::uint32_t rtp_time, GstClockTime at);

  GstElement *pipeline = nullptr, *web = nullptr;
  std::shared_ptr<RtpStream> stream;
  bool turn = false;
  Track video, sound;
  std::weak_ptr<WebPeer> self;

  const double began = Utc::monotonic_seconds();
  std::atomic<double> heard = 0; // the last word of the viewer
  std::atomic<GstWebRTCPeerConnectionState> state = GST_WEBRTC_PEER_CONNECTION_STATE_NEW;
  std::atomic<bool> failed = false, joined = false;
  std::atomic<int> candidates_taken = 0;

  std::mutex gathering_lock;
  std::condition_variable gathered_more;
  std::vector<std::string> candidates; // of this machine
  bool gathered = false;

  std::mutex lock; // of what follows, for the time in which packets are made and handed to GStreamer's queue
  std::uint64_t last_picture = 0; // 0: a key frame must come
  double fresh = 0;               // pictures from before this time are sent as fast as possible
  double last_time = 0, sound_from = 0;
  double asked_again = 0; // the last time that the viewer asked for a key frame
  std::atomic<double> paced_until = 0;

  ~Impl();
  void set_up(const Wish &, const WebRtcConfig &);
  void add_track(Track &, const Offer::Choice &, const char *pad);
  void limit_addresses(const Wish &, const WebRtcConfig &);
  std::string negotiate(const Wish &);
  void watch_words();
  void join();
  void refresh();
  GstClockTime running(double time) const;
  static void on_candidate(GstElement *, guint, char *, gpointer);
  static void on_gathering(GstElement *, GParamSpec *, gpointer);
  static void on_state(GstElement *, GParamSpec *, gpointer);
  static void on_word(GObject *, GstBuffer *, gpointer);
  static GstPadProbeReturn on_request(GstPad *, GstPadProbeInfo *, gpointer);
  static GstPadProbeReturn pace(GstPad *, GstPadProbeInfo *, gpointer);
  static GstBusSyncReply on_message(GstBus *, GstMessage *, gpointer);
};

GstBuffer *WebPeer::Impl::packet_for(Track &track, GstBuffer *packet, std::uint32_t rtp_time,
                                     GstClockTime at) {
  guint8 marker = 0;
  gst_buffer_extract(packet, 1, &marker, 1);
  constexpr std::uint8_t version = 0x80, marker_bit = 0x80;
  const std::uint16_t n = track.sequence++;
  const auto part = [](auto value, int shift) { return static_cast<std::uint8_t>(value >> shift); };
  const std::array<std::uint8_t, rtp_header_bytes> head = {
      version,
      static_cast<std::uint8_t>((marker & marker_bit) | track.payload),
      part(n, 8),
      part(n, 0),
      part(rtp_time, 24),
      part(rtp_time, 16),
      part(rtp_time, 8),
      part(rtp_time, 0),
      part(track.ssrc, 24),
      part(track.ssrc, 16),
      part(track.ssrc, 8),
      part(track.ssrc, 0)};
  GstBuffer *out = gst_buffer_new_allocate(nullptr, head.size(), nullptr);
  gst_buffer_fill(out, 0, head.data(), head.size());
  gst_buffer_copy_into(out, packet, GST_BUFFER_COPY_MEMORY, head.size(),
                       static_cast<gsize>(-1)); // it is shared
  GST_BUFFER_PTS(out) = at;
  return out;
}

std::string WebPeer::missing() {
  for (const char *element : {"webrtcbin", "nicesink", "dtlsenc", "srtpenc", "rtpbin"})
    if (!tools::has_element(element))
      return std::string("GStreamer has no ") + element +
             "; install gstreamer1.0-plugins-bad and gstreamer1.0-nice";
  return "";
}

void WebPeer::prepare() {
  for (const char *element : {"webrtcbin", "nicesrc", "nicesink", "dtlssrtpdec", "dtlssrtpenc", "rtpbin",
                              "rtpfunnel", "rtph264pay", "rtph265pay", "appsrc", "appsink"})
    if (GstElement *e = gst_element_factory_make(element, nullptr)) {
      gst_object_ref_sink(e);
      gst_object_unref(e);
    }
}

WebPeer::WebPeer() : impl_(std::make_unique<Impl>()) {}
WebPeer::~WebPeer() = default;

std::shared_ptr<WebPeer> WebPeer::make(const Wish &wish, const WebRtcConfig &config,
                                       std::shared_ptr<RtpStream> stream, Later later) {
  const std::shared_ptr<WebPeer> peer(new WebPeer,
                                      [later = std::move(later)](WebPeer *p) { later([p] { delete p; }); });
  peer->impl_->self = peer;
  peer->impl_->stream = std::move(stream);
  peer->impl_->set_up(wish, config);
  peer->answer_ = peer->impl_->negotiate(wish);
  for (const std::string &line : wish.offer.candidates()) peer->candidate(line);
  return peer;
}

WebPeer::Impl::~Impl() {
  if (!pipeline) return;
  const tools::ObjectPtr<GstBus> bus(gst_element_get_bus(pipeline));
  // none instead of the guarded one
  gst_bus_set_sync_handler(bus.get(), nullptr, nullptr, nullptr);
  gst_element_set_state(pipeline, GST_STATE_NULL);
  if (web) g_signal_handlers_disconnect_by_data(web, this);
  gst_object_unref(pipeline);
}

void WebPeer::Impl::set_up(const Wish &wish, const WebRtcConfig &config) {
  pipeline = gst_pipeline_new(nullptr);
  gst_object_ref_sink(pipeline);
  const tools::ObjectPtr<GstClock> clock(gst_system_clock_obtain());
  gst_pipeline_use_clock(GST_PIPELINE(pipeline), clock.get());
  const tools::ObjectPtr<GstBus> bus(gst_element_get_bus(pipeline));
  gst_bus_set_sync_handler(bus.get(), guarded<on_message, GST_BUS_DROP>, this, nullptr);
  web = tools::make_element("webrtcbin");
  gst_bin_add(GST_BIN(pipeline), web);
  gst_util_set_object_arg(G_OBJECT(web), "bundle-policy", "max-bundle");
  limit_addresses(wish, config);
  g_signal_connect(web, "on-ice-candidate", G_CALLBACK(guarded<on_candidate>), this);
  g_signal_connect(web, "notify::ice-gathering-state", G_CALLBACK(guarded<on_gathering>), this);
  g_signal_connect(web, "notify::connection-state", G_CALLBACK(guarded<on_state>), this);
  add_track(video, wish.choices[0], "sink_0");
  if (wish.choices.size() > 1) add_track(sound, wish.choices[1], "sink_1");
  if (gst_element_set_state(pipeline, GST_STATE_PLAYING) == GST_STATE_CHANGE_FAILURE)
    fail(Error::Kind::no_device, "GStreamer's webrtcbin does not start");
}

void WebPeer::Impl::limit_addresses(const Wish &wish, const WebRtcConfig &config) {
  GObject *found = nullptr;
  g_object_get(web, "ice-agent", &found, nullptr);
  if (!found) fail(Error::Kind::no_device, "webrtcbin has no agent of ICE");
  const tools::ObjectPtr<GObject> ice(found);
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
  for (const std::string &address : own_addresses(wish.on_this_machine)) {
    gboolean taken = FALSE;
    g_signal_emit_by_name(ice.get(), "add-local-ip-address", address.c_str(), &taken);
  }
  if (!config.stun.empty()) g_object_set(web, "stun-server", ("stun://" + config.stun).c_str(), nullptr);
  turn = !config.turn.empty();
  if (!turn) return;
  const tools::TextPtr user(g_uri_escape_string(config.turn_user.c_str(), nullptr, FALSE)),
      password(g_uri_escape_string(config.turn_password.c_str(), nullptr, FALSE));
  gboolean taken = FALSE;
  const std::string address = std::string("turn://") + user.get() + ":" + password.get() + "@" + config.turn;
  g_signal_emit_by_name(web, "add-turn-server", address.c_str(), &taken);
}

void WebPeer::Impl::add_track(Track &track, const Offer::Choice &choice, const char *pad_name) {
  track.payload = static_cast<std::uint8_t>(choice.codec.payload);
  const bool pictures = &track == &video;
  const std::string &clock = choice.codec.clock;
  std::string text =
      std::string("application/x-rtp,media=") + (pictures ? "video" : "audio") +
      ",encoding-name=" + choice.codec.name + ",clock-rate=" + clock.substr(0, clock.find('/')) +
      ",payload=" + std::to_string(choice.codec.payload) + ",ssrc=(uint)" + std::to_string(track.ssrc);
  if (choice.codec.name == "OPUS") text += ",encoding-params=(string)2";
  const tools::CapsPtr caps(gst_caps_from_string(text.c_str()));
  GstElement *source = tools::make_element("appsrc");
  gst_bin_add(GST_BIN(pipeline), source);
  track.source = GST_APP_SRC(source);
  g_object_set(source, "caps", caps.get(), "format", GST_FORMAT_TIME, "is-live", TRUE, "max-bytes",
               guint64{0}, "block", FALSE, nullptr);
  GstPadTemplate *kind = gst_element_get_pad_template(web, "sink_%u");
  const tools::ObjectPtr<GstPad> sink(gst_element_request_pad(web, kind, pad_name, caps.get()));
  const tools::ObjectPtr<GstPad> src(gst_element_get_static_pad(source, "src"));
  if (!sink || gst_pad_link(src.get(), sink.get()) != GST_PAD_LINK_OK)
    fail(Error::Kind::no_device, "webrtcbin takes no ", choice.codec.name);
  GstWebRTCRTPTransceiver *sender = nullptr;
  g_object_get(sink.get(), "transceiver", &sender, nullptr);
  if (sender) {
    const tools::ObjectPtr<GstWebRTCRTPTransceiver> owner(sender);
    g_object_set(sender, "direction", GST_WEBRTC_RTP_TRANSCEIVER_DIRECTION_SENDONLY, nullptr);
    if (pictures && choice.codec.rtx >= 0) g_object_set(sender, "do-nack", TRUE, nullptr);
  }
  gst_pad_add_probe(src.get(), GST_PAD_PROBE_TYPE_EVENT_UPSTREAM, guarded<on_request, GST_PAD_PROBE_OK>, this,
                    nullptr);
  if (pictures)
    gst_pad_add_probe(
        src.get(), static_cast<GstPadProbeType>(GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_BUFFER_LIST),
        guarded<pace, GST_PAD_PROBE_OK>, this, nullptr);
}

std::string WebPeer::Impl::negotiate(const Wish &wish) {
  const DescriptionPtr offer = description_of(GST_WEBRTC_SDP_TYPE_OFFER, wish.offer.only(wish.choices));
  {
    Reply reply;
    g_signal_emit_by_name(web, "set-remote-description", offer.get(), reply.promise());
    reply.wait("the offer");
  }
  DescriptionPtr answer;
  {
    Reply reply;
    g_signal_emit_by_name(web, "create-answer", nullptr, reply.promise());
    const StructurePtr made = reply.wait("the answer");
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
  watch_words();
  std::vector<std::string> found;
  {
    std::unique_lock guard(gathering_lock);
    constexpr std::chrono::seconds longest(5); // a server of STUN or TURN that does not answer
    gathered_more.wait_for(guard, longest, [this] { return gathered; });
    gathered_more.wait_for(guard, longest_reply, [this] { return gathered || !candidates.empty(); });
    found = candidates;
  }
  if (found.empty()) fail(Error::Kind::io, "no port is free for WebRTC, or this machine has no address");
  const tools::TextPtr sdp(gst_sdp_message_as_text(answer->sdp));
  return wish.offer.answer(sdp.get(), wish.choices, found);
}

// Reports of what arrived come about once a second.
void WebPeer::Impl::watch_words() {
  const tools::ObjectPtr<GstElement> rtp(gst_bin_get_by_name(GST_BIN(web), "rtpbin"));
  GObject *session = nullptr;
  if (rtp) g_signal_emit_by_name(rtp.get(), "get-internal-session", 0u, &session);
  if (!session) fail(Error::Kind::device, "webrtcbin has no session of RTP");
  g_signal_connect(session, "on-receiving-rtcp", G_CALLBACK(guarded<on_word>), this);
  g_object_unref(session);
}

void WebPeer::Impl::on_word(GObject *, GstBuffer *, gpointer user) {
  static_cast<Impl *>(user)->heard = Utc::monotonic_seconds();
}

void WebPeer::Impl::on_candidate(GstElement *, guint, char *candidate, gpointer user) {
  Impl &p = *static_cast<Impl *>(user);
  std::string line = candidate ? candidate : "";
  if (line.starts_with("a=")) line.erase(0, 2);
  if (!line.starts_with("candidate:")) return;
  const std::lock_guard guard(p.gathering_lock);
  p.candidates.push_back(line);
  p.gathered_more.notify_all();
}

void WebPeer::Impl::on_gathering(GstElement *web, GParamSpec *, gpointer user) {
  Impl &p = *static_cast<Impl *>(user);
  GstWebRTCICEGatheringState state = GST_WEBRTC_ICE_GATHERING_STATE_NEW;
  g_object_get(web, "ice-gathering-state", &state, nullptr);
  if (state != GST_WEBRTC_ICE_GATHERING_STATE_COMPLETE) return;
  const std::lock_guard guard(p.gathering_lock);
  p.gathered = true;
  p.gathered_more.notify_all();
}

void WebPeer::Impl::on_state(GstElement *web, GParamSpec *, gpointer user) {
  Impl &p = *static_cast<Impl *>(user);
  GstWebRTCPeerConnectionState state = GST_WEBRTC_PEER_CONNECTION_STATE_NEW;
  g_object_get(web, "connection-state", &state, nullptr);
  p.state = state;
  if (state == GST_WEBRTC_PEER_CONNECTION_STATE_CONNECTED) p.join();
}

// What webrtcbin says of a viewer is no trouble of the program.
GstBusSyncReply WebPeer::Impl::on_message(GstBus *, GstMessage *m, gpointer user) {
  if (GST_MESSAGE_TYPE(m) == GST_MESSAGE_ERROR) static_cast<Impl *>(user)->failed = true;
  gst_message_unref(m);
  return GST_BUS_DROP;
}

void WebPeer::Impl::join() {
  if (joined.exchange(true)) return;
  heard = Utc::monotonic_seconds();
  {
    const std::lock_guard guard(lock);
    fresh = heard;
    sound_from = heard;
    // So that what is sent at once has times of before.
    constexpr double room = 0.05;
    last_time = fresh - room;
  }
  if (const auto peer = self.lock()) stream->join(peer);
}

// The viewer asks for a key frame: it has lost a picture.
GstPadProbeReturn WebPeer::Impl::on_request(GstPad *, GstPadProbeInfo *info, gpointer user) {
  Impl &p = *static_cast<Impl *>(user);
  const GstStructure *s = gst_event_get_structure(GST_PAD_PROBE_INFO_EVENT(info));
  if (s && gst_structure_has_name(s, "GstForceKeyUnit")) p.refresh();
  return GST_PAD_PROBE_OK;
}

void WebPeer::Impl::refresh() {
  constexpr double at_most_each = 1;
  {
    const std::lock_guard guard(lock);
    const double now = Utc::monotonic_seconds();
    if (!joined || now - asked_again < at_most_each || now - fresh < at_most_each) return;
    asked_again = fresh = now;
    last_picture = 0;
  }
  const auto peer = self.lock();
  if (!peer) return;
  stream->leave(peer.get());
  stream->join(peer);
}

// A burst fills the queues of sockets and switches, and what does not fit is lost.
GstPadProbeReturn WebPeer::Impl::pace(GstPad *, GstPadProbeInfo *info, gpointer user) {
  constexpr double bytes_a_second = 8e6, at_once = 0.012; // seconds' worth: 96 kB
  Impl &p = *static_cast<Impl *>(user);
  const gsize bytes = GST_PAD_PROBE_INFO_TYPE(info) & GST_PAD_PROBE_TYPE_BUFFER_LIST
                          ? gst_buffer_list_calculate_size(GST_PAD_PROBE_INFO_BUFFER_LIST(info))
                          : gst_buffer_get_size(GST_PAD_PROBE_INFO_BUFFER(info));
  const double now = Utc::monotonic_seconds();
  const double until = std::max(now, p.paced_until.load()) + static_cast<double>(bytes) / bytes_a_second;
  p.paced_until = until;
  if (until - now > at_once) g_usleep(static_cast<gulong>((until - now - at_once) * 1e6));
  return GST_PAD_PROBE_OK;
}

GstClockTime WebPeer::Impl::running(double time) const {
  const double at = time - static_cast<double>(gst_element_get_base_time(pipeline)) / 1e9;
  return at > 0 ? static_cast<GstClockTime>(at * 1e9) : 0;
}

void WebPeer::picture(const RtpUnitPtr &unit) {
  Impl &p = *impl_;
  constexpr guint64 most_queued = 6 << 20;
  constexpr double picture_clock = 90000, step = 0.0002; // seconds between pictures that are sent at once
  const std::lock_guard guard(p.lock);
  // What does not follow cannot be decoded. A viewer that takes too slowly goes on with the next key frame.
  const bool follows = p.last_picture && unit->number == p.last_picture + 1;
  if (unit->number <= p.last_picture || (!follows && !unit->key)) return;
  if (gst_app_src_get_current_level_bytes(p.video.source) > most_queued) {
    p.last_picture = 0;
    return;
  }
  p.last_picture = unit->number;
  const double time = unit->time < p.fresh ? p.last_time + step : std::max(unit->time, p.last_time + step);
  p.last_time = time;
  const auto rtp_time =
      static_cast<std::uint32_t>(static_cast<std::int64_t>(time * picture_clock)) + p.video.time_offset;
  GstBufferList *list = gst_buffer_list_new_sized(static_cast<guint>(unit->packets.size()));
  for (const RtpBuffer &packet : unit->packets)
    gst_buffer_list_add(list, Impl::packet_for(p.video, packet.get(), rtp_time, p.running(time)));
  gst_app_src_push_buffer_list(p.video.source, list);
}

void WebPeer::sound(const RtpUnitPtr &unit) {
  Impl &p = *impl_;
  constexpr guint64 most_queued = 64 << 10;
  const std::lock_guard guard(p.lock);
  if (!p.sound.source || unit->time < p.sound_from ||
      gst_app_src_get_current_level_bytes(p.sound.source) > most_queued)
    return;
  for (const RtpBuffer &packet : unit->packets) {
    std::array<guint8, 4> time{};
    constexpr gsize where = 4; // of the header: the time, which counts samples
    gst_buffer_extract(packet.get(), where, time.data(), time.size());
    std::uint32_t rtp_time = p.sound.time_offset;
    rtp_time += static_cast<std::uint32_t>(time[0]) << 24 | static_cast<std::uint32_t>(time[1]) << 16 |
                static_cast<std::uint32_t>(time[2]) << 8 | time[3];
    gst_app_src_push_buffer(p.sound.source,
                            Impl::packet_for(p.sound, packet.get(), rtp_time, p.running(unit->time)));
  }
}

void WebPeer::candidate(const std::string &line) {
  constexpr int most = 32;
  if (!impl_->turn || !is_plain_candidate(line) || impl_->candidates_taken++ >= most) return;
  g_signal_emit_by_name(impl_->web, "add-ice-candidate", 0u, line.c_str());
}

bool WebPeer::connected() const {
  return impl_->joined;
}

std::string WebPeer::over(double now) const {
  if (impl_->stream->ended()) return "the camera's stream ended";
  if (impl_->failed) return "GStreamer's webrtcbin failed";
  if (const std::string why = shown_state(impl_->state); !why.empty()) return why;
  if (!impl_->joined) return now - impl_->began > to_connect ? "no connection was made" : "";
  return now - impl_->heard > longest_silence ? "nothing was heard of the viewer" : "";
}

} // namespace vigil::monitor
