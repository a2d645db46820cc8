// SPDX-License-Identifier: LGPL-2.1-or-later
#include "source.h"

#include "../config/text.h"
#include "../onvif/address.h"
#include "common/error.h"
#include "common/guarded.h"
#include "gst/video/gst_ptr.h"
#include "tools/base/pipeline.h"

#include <gio/gio.h>

namespace vigil::monitor {
namespace {

constexpr const char *named_host = "vigil-host"; // of an address that was named

// Of an address, as it is written there: without user and port.
std::string host_of(const std::string &address) {
  const std::size_t scheme = address.find("://"), from = scheme == address.npos ? 0 : scheme + 3;
  std::string out = address.substr(from, address.find_first_of("/?#", from) - from);
  out = out.substr(out.rfind('@') + 1); // npos + 1 is 0
  const std::size_t bracket = out.find(']');
  return out.substr(0, out.find(':', bracket == out.npos ? 0 : bracket));
}

constexpr const char *last_of_launch = "vigil-last-of-source";

// A drawn camera says no more than its scene: it is live, and of a size and rate that four of them cost
// little.
std::string completed(std::string description) {
  if (description.starts_with("scenetestsrc") && description.find('!') == std::string::npos) {
    if (description.find("is-live") == std::string::npos) description += " is-live=true";
    description += " ! video/x-raw,format=I420,width=640,height=360,framerate=15/1";
  }
  return description + " ! identity name=" + last_of_launch; // so that it may end in caps
}

// A bin with one pad, the last element's. GStreamer's own way to make pads of what is not linked would take
// the pad that a delayed link waits for, as that behind decodebin.
GstElement *parse_launch(const std::string &source) {
  GError *e = nullptr;
  GstElement *bin = gst_parse_bin_from_description_full(completed(source).c_str(), FALSE, nullptr,
                                                        GST_PARSE_FLAG_FATAL_ERRORS, &e);
  const gst::ErrorPtr error(e);
  if (!bin)
    fail(Error::Kind::bad_setting, "source '", mask_credentials(source),
         "': ", error ? mask_credentials(error->message) : "cannot be made");
  const gst::ObjectPtr<GstElement> last(gst_bin_get_by_name(GST_BIN(bin), last_of_launch));
  const gst::ObjectPtr<GstPad> src(gst_element_get_static_pad(last.get(), "src"));
  gst_element_add_pad(bin, gst_ghost_pad_new("src", src.get()));
  return bin;
}

std::string field_of(const GstCaps *caps, const char *name) {
  const GstStructure *s = caps && gst_caps_get_size(caps) ? gst_caps_get_structure(caps, 0) : nullptr;
  const char *text = s ? gst_structure_get_string(s, name) : nullptr;
  return text ? text : "";
}

void link_rtp(GstElement *, GstPad *pad, GstElement *parse) {
  const gst::CapsPtr caps(gst_pad_get_current_caps(pad));
  const GstStructure *s =
      caps && gst_caps_get_size(caps.get()) ? gst_caps_get_structure(caps.get(), 0) : nullptr;
  const char *media = s ? gst_structure_get_string(s, "media") : nullptr;
  if (media && std::string_view(media) != "video") return;
  const gst::ObjectPtr<GstPad> sink(gst_element_get_static_pad(parse, "sink"));
  if (!gst_pad_is_linked(sink.get())) gst_pad_link(pad, sink.get());
}

// Only video is asked for: sound that nobody reads would cost a stream and, on some cameras, the session.
gboolean select_video(GstElement *, guint, GstCaps *caps, gpointer) {
  const std::string media = field_of(caps, "media");
  return media.empty() || media == "video";
}

// Where sound is recorded or heard live, it is asked for, too, if its kind is known.
gboolean select_sound(GstElement *source, guint number, GstCaps *caps, gpointer) {
  if (field_of(caps, "media") != "audio") return select_video(source, number, caps, nullptr);
  if (sound_chain(caps)) return TRUE;
  GST_ELEMENT_WARNING(source, STREAM, WRONG_TYPE,
                      ("the camera's sound (%s) is not taken: only AAC, Opus and G.711 are",
                       field_of(caps, "encoding-name").c_str()),
                      (nullptr));
  return FALSE;
}

void no_more_rtp_pads(GstElement *source, GstElement *parse) {
  const gst::ObjectPtr<GstPad> sink(gst_element_get_static_pad(parse, "sink"));
  if (!gst_pad_is_linked(sink.get()))
    GST_ELEMENT_ERROR(source, STREAM, WRONG_TYPE, ("the camera answers, but offers no video"), (nullptr));
}

void set_up_jitterbuffer(GstElement *, GstElement *jitterbuffer, guint, guint, gpointer with_times) {
  g_object_set(jitterbuffer, "post-drop-messages", TRUE, "drop-messages-interval", 0u, nullptr);
  g_object_set(jitterbuffer, "faststart-min-packets", 1u, nullptr); // else the first packet waits for long
  constexpr const char *times = "add-reference-timestamp-meta";     // of GStreamer 1.22 or newer
  if (with_times && g_object_class_find_property(G_OBJECT_GET_CLASS(jitterbuffer), times))
    g_object_set(jitterbuffer, times, TRUE, nullptr);
}

void new_manager(GstElement *, GstElement *rtpbin, gpointer with_times) {
  if (g_signal_lookup("new-jitterbuffer", G_OBJECT_TYPE(rtpbin)))
    g_signal_connect(rtpbin, "new-jitterbuffer", G_CALLBACK(guarded<set_up_jitterbuffer>), with_times);
}

// rtspsrc follows a server that sends on to another one, and changes its location by that. Nothing is said
// to a host that the address does not name.
gboolean before_send(GstElement *source, gpointer, gpointer) {
  const auto *asked = static_cast<const char *>(g_object_get_data(G_OBJECT(source), named_host));
  gchar *now = nullptr;
  g_object_get(source, "location", &now, nullptr);
  const gst::TextPtr location(now);
  if (!asked || host_of(now ? now : "") == asked) return TRUE;
  GST_ELEMENT_ERROR(source, RESOURCE, OPEN_READ, ("the camera sends on to another host, which is not asked"),
                    (nullptr));
  return FALSE;
}

// A camera could send the monitor on to any address of its own network.
void keep_to_address(GstElement *source) {
  if (g_object_class_find_property(G_OBJECT_GET_CLASS(source), "automatic-redirect"))
    g_object_set(source, "automatic-redirect", FALSE, nullptr);
}

void check_one(const std::string &source) {
  switch (source_kind(source)) {
  case SourceKind::launch: {
    GstElement *bin = parse_launch(source);
    gst_object_ref_sink(bin);
    gst_object_unref(bin);
    break;
  }
  case SourceKind::network:
    if (const gst::TextPtr protocol(gst_uri_get_protocol(source.c_str()));
        !protocol || !gst_uri_protocol_is_supported(GST_URI_SRC, protocol.get()))
      fail(Error::Kind::bad_setting, "no element of GStreamer reads '", mask_credentials(source), "'");
    break;
  case SourceKind::file: // it may come later
  case SourceKind::device:
    break;
  }
}

} // namespace

void register_network_types() {
  for (const GType type :
       {G_TYPE_SOCKET_ADDRESS, G_TYPE_INET_ADDRESS, G_TYPE_INET_SOCKET_ADDRESS, G_TYPE_NETWORK_ADDRESS,
        G_TYPE_PROXY_ADDRESS, G_TYPE_SOCKET_ADDRESS_ENUMERATOR, G_TYPE_PROXY_ADDRESS_ENUMERATOR,
        G_TYPE_SOCKET, G_TYPE_SOCKET_CLIENT, G_TYPE_SOCKET_CONNECTION, G_TYPE_TCP_CONNECTION,
        G_TYPE_SOCKET_LISTENER, G_TYPE_SOCKET_SERVICE, G_TYPE_RESOLVER, G_TYPE_TLS_CERTIFICATE,
        G_TYPE_TLS_CONNECTION, G_TYPE_CANCELLABLE, G_TYPE_TASK})
    g_type_class_ref(type); // kept: its class is made once
}

SourceKind source_kind(const std::string &source) {
  const std::size_t address = source.find("://");
  if (address != std::string::npos && source.find_first_of(" !") > address)
    return source.starts_with("file://") ? SourceKind::file : SourceKind::network;
  if (source.starts_with("/dev/video")) return SourceKind::device;
  // What stands there is a path, also with a sign in its name that stands between elements elsewhere.
  if (source.starts_with('/') || source.starts_with("./") || source.starts_with("../"))
    return SourceKind::file;
  const std::string word = source.substr(0, source.find_first_of(" !"));
  const gst::ObjectPtr<GstElementFactory> factory(gst_element_factory_find(word.c_str()));
  if (factory || source.find('!') != std::string::npos) return SourceKind::launch;
  return SourceKind::file;
}

bool has_end(const std::string &source) {
  return !source.starts_with("rtsp") && source_kind(source) != SourceKind::device;
}

std::optional<SoundChain> sound_chain(const GstCaps *rtp) {
  const std::string name = field_of(rtp, "encoding-name");
  constexpr const char *aac = "audio/mpeg,mpegversion=4,stream-format=raw";
  if (field_of(rtp, "media") != "audio") return std::nullopt;
  constexpr const char *opus = "audio/x-opus";
  if (name == "MPEG4-GENERIC") return SoundChain{{"rtpmp4gdepay", "aacparse"}, aac, {}, nullptr};
  if (name == "MP4A-LATM") return SoundChain{{"rtpmp4adepay", "aacparse"}, aac, {}, nullptr};
  if (name == "OPUS") return SoundChain{{"rtpopusdepay", "opusparse"}, opus, {}, nullptr};
  // MP4 does not hold G.711 that browsers play.
  if (name == "PCMA") return SoundChain{{"rtppcmadepay"}, "audio/x-alaw", {"alawdec", "opusenc"}, opus};
  if (name == "PCMU") return SoundChain{{"rtppcmudepay"}, "audio/x-mulaw", {"mulawdec", "opusenc"}, opus};
  return std::nullopt;
}

bool is_sound(const GstCaps *rtp) {
  return field_of(rtp, "media") == "audio";
}

// Over UDP a packet that has not come after the latency is lost; what comes later is of no use. Over TCP, and
// HTTP around it, nothing is lost: what comes late is what a wireless link or a relay held up, and is whole.
// There the latency delays nothing but what follows a gap in the numbers of packets. It says how much later
// than the camera says a packet may come and keep its time; after that it has the time at which it came.
GstElement *make_rtsp_source(const std::string &address, bool with_times) {
  GstElement *source = tools::make_element("rtspsrc");
  const bool udp = address.starts_with("rtspu") || address.starts_with("rtspsu");
  constexpr guint by_udp = 1 | 2, by_tcp = 4; // bits of GstRTSPLowerTrans
  constexpr guint udp_latency_ms = 100, tcp_latency_ms = 2500;
  constexpr guint64 timeout_us = 5'000'000;
  g_object_set(source, "location", address.c_str(), "protocols", udp ? by_udp : by_tcp, "latency",
               udp ? udp_latency_ms : tcp_latency_ms, "tcp-timeout", timeout_us, "drop-on-latency",
               udp ? TRUE : FALSE, nullptr);
  g_signal_connect(source, "new-manager", G_CALLBACK(guarded<new_manager>), GINT_TO_POINTER(with_times));
  g_object_set_data_full(G_OBJECT(source), named_host, g_strdup(host_of(address).c_str()), g_free);
  if (g_signal_lookup("before-send", G_OBJECT_TYPE(source)))
    g_signal_connect(source, "before-send", G_CALLBACK((guarded<before_send, FALSE>)), nullptr);
  return source;
}

void add_source(GstBin *bin, const std::string &source, const SourcePads &pads) {
  const SourceKind kind = source_kind(source);
  const auto add = [&](GstElement *e) {
    gst_bin_add(bin, e);
    return e;
  };
  GstElement *parse = add(tools::make_element("parsebin", source_parser));
  // `pads` are guarded where they are given
  g_signal_connect(parse, "pad-added", pads.stream, pads.user);
  if (kind == SourceKind::launch) {
    tools::link({add(parse_launch(source)), parse});
  } else if (kind == SourceKind::device) {
    GstElement *device = add(tools::make_element("v4l2src"));
    g_object_set(device, "device", source.c_str(), nullptr);
    tools::link({device, parse});
  } else if (source.starts_with("rtsp")) {
    GstElement *camera = add(make_rtsp_source(source, pads.with_times));
    g_signal_connect(camera, "select-stream",
                     pads.with_sound ? G_CALLBACK(guarded<select_sound>) : G_CALLBACK(guarded<select_video>),
                     nullptr);
    // `pads` are guarded where they are given
    g_signal_connect(camera, "pad-added", pads.rtp, pads.user);
    g_signal_connect(camera, "pad-added", G_CALLBACK(guarded<link_rtp>), parse);
    g_signal_connect(camera, "no-more-pads", G_CALLBACK(guarded<no_more_rtp_pads>), parse);
  } else {
    GError *e = nullptr;
    const gst::TextPtr uri(kind == SourceKind::file && !source.starts_with("file://")
                               ? gst_filename_to_uri(source.c_str(), nullptr)
                               : g_strdup(source.c_str()));
    GstElement *reader = uri ? gst_element_make_from_uri(GST_URI_SRC, uri.get(), nullptr, &e) : nullptr;
    const gst::ErrorPtr error(e);
    if (!reader)
      fail(Error::Kind::bad_setting, "source '", mask_credentials(source), "': ",
           error ? mask_credentials(error->message) : "no address, file, device or element of GStreamer");
    keep_to_address(reader);
    tools::link({add(reader), parse});
  }
}

void check_source(const CameraConfig &c) {
  try {
    for (const std::string &source : c.sources()) check_one(source);
    if (!c.onvif.empty()) device_address(c.onvif);
    if (!c.talk_address.empty()) parse_address(c.talk_address);
  } catch (const Error &e) {
    fail(e.kind(), c.place.empty() ? "" : c.place + ": ", "camera ", c.name, ": ", e.what());
  }
}

} // namespace vigil::monitor
