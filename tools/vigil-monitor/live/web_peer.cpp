// SPDX-License-Identifier: LGPL-2.1-or-later
#include "web_peer.h"

#include "../camera/utc.h"
#include "../config/text.h"
#include "common/error.h"
#include "common/guarded.h"
#include "gst/video/gst_ptr.h"
#include "tools/base/pipeline.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <gst/app/gstappsrc.h>
#include <mutex>
#include <random>
#include <utility>
// The library's interface is marked as one that may change.
#define GST_USE_UNSTABLE_API
#include <gst/webrtc/webrtc.h>

namespace vigil::monitor {
namespace {

constexpr std::size_t rtp_header_bytes = 12;

std::uint32_t random_number() {
  std::random_device random;
  return random();
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

  std::shared_ptr<RtpStream> stream;
  Track video, sound;
  std::weak_ptr<WebPeer> self;

  std::mutex lock; // of what follows, for the time in which packets are made and handed to GStreamer's queue
  std::uint64_t last_picture = 0; // 0: a key frame must come
  double fresh = 0;               // pictures from before this time are sent as fast as possible
  double last_time = 0, sound_from = 0;
  double asked_again = 0; // the last time that the viewer asked for a key frame
  std::atomic<double> paced_until = 0;

  WebConnection connection; // last: its threads use the others

  Impl(const WebRtcConfig &config, bool on_this_machine)
      : connection(config, on_this_machine, {[this] { join(); }, [](GstPad *) {}}) {}
  void add_track(Track &, const Offer::Choice &, const char *pad);
  void join();
  void refresh();
  GstClockTime running(double time) const;
  static GstPadProbeReturn on_request(GstPad *, GstPadProbeInfo *, gpointer);
  static GstPadProbeReturn pace(GstPad *, GstPadProbeInfo *, gpointer);
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

WebPeer::WebPeer() = default;
WebPeer::~WebPeer() = default;

std::shared_ptr<WebPeer> WebPeer::make(const Wish &wish, const WebRtcConfig &config,
                                       std::shared_ptr<RtpStream> stream, Later later) {
  const std::shared_ptr<WebPeer> peer(new WebPeer,
                                      [later = std::move(later)](WebPeer *p) { later([p] { delete p; }); });
  peer->impl_ = std::make_unique<Impl>(config, wish.on_this_machine);
  Impl &p = *peer->impl_;
  p.self = peer;
  p.stream = std::move(stream);
  p.add_track(p.video, wish.choices[0], "sink_0");
  if (wish.choices.size() > 1) p.add_track(p.sound, wish.choices[1], "sink_1");
  peer->answer_ = p.connection.negotiate(wish.offer, wish.choices);
  return peer;
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
  const gst::CapsPtr caps(gst_caps_from_string(text.c_str()));
  GstElement *source = tools::make_element("appsrc");
  gst_bin_add(GST_BIN(connection.pipeline()), source);
  track.source = GST_APP_SRC(source);
  g_object_set(source, "caps", caps.get(), "format", GST_FORMAT_TIME, "is-live", TRUE, "max-bytes",
               guint64{0}, "block", FALSE, nullptr);
  GstPadTemplate *kind = gst_element_get_pad_template(connection.webrtcbin(), "sink_%u");
  const gst::ObjectPtr<GstPad> sink(
      gst_element_request_pad(connection.webrtcbin(), kind, pad_name, caps.get()));
  const gst::ObjectPtr<GstPad> src(gst_element_get_static_pad(source, "src"));
  if (!sink || gst_pad_link(src.get(), sink.get()) != GST_PAD_LINK_OK)
    fail(Error::Kind::no_device, "webrtcbin takes no ", choice.codec.name);
  GstWebRTCRTPTransceiver *sender = nullptr;
  g_object_get(sink.get(), "transceiver", &sender, nullptr);
  if (sender) {
    const gst::ObjectPtr<GstWebRTCRTPTransceiver> owner(sender);
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

void WebPeer::Impl::join() {
  {
    const std::lock_guard guard(lock);
    fresh = sound_from = Utc::monotonic_seconds();
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
    if (!connection.connected() || now - asked_again < at_most_each || now - fresh < at_most_each) return;
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
  const double at = time - static_cast<double>(gst_element_get_base_time(connection.pipeline())) / 1e9;
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
  impl_->connection.candidate(line);
}

bool WebPeer::connected() const {
  return impl_->connection.connected();
}

std::string WebPeer::over(double now) const {
  return impl_->stream->ended() ? "the camera's stream ended" : impl_->connection.over(now, longest_silence);
}

} // namespace vigil::monitor
