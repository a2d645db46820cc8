// SPDX-License-Identifier: LGPL-2.1-or-later
#include "voice.h"

#include "../camera/utc.h"
#include "common/error.h"
#include "common/guarded.h"
#include "gst/video/gst_ptr.h"
#include "tools/base/pipeline.h"

#include <algorithm>
#include <gst/app/gstappsink.h>
#include <utility>
#include <vector>

namespace vigil::monitor {
namespace {

struct LawElements {
  const char *depayloader, *decoder, *encoder, *payloader;
};
LawElements elements_of(G711 law) {
  return law == G711::mu_law ? LawElements{"rtppcmudepay", "mulawdec", "mulawenc", "rtppcmupay"}
                             : LawElements{"rtppcmadepay", "alawdec", "alawenc", "rtppcmapay"};
}

} // namespace

struct Voice::Impl {
  const Packets packets;
  GstElement *first = nullptr;
  double said_until = 0;    // what has come lasts until then, where it is spoken at once
  WebConnection connection; // last: its threads use the others

  Impl(const WebRtcConfig &config, bool on_this_machine, Packets p)
      : packets(std::move(p)),
        connection(config, on_this_machine, {[] {}, [this](GstPad *pad) { arrives(pad); }}) {}
  void add_chain(G711 from, const SpeechForm &to);
  void arrives(GstPad *) const;
  static GstPadProbeReturn on_packet(GstPad *, GstPadProbeInfo *, gpointer);
  static GstPadProbeReturn on_speech(GstPad *, GstPadProbeInfo *, gpointer);
  static GstFlowReturn packet(GstAppSink *, gpointer);
};

void Voice::need_g711(const Offer &offer) {
  Offer::Choice choice;
  if (!offer.choose("audio", name_of(G711::mu_law), "", choice) &&
      !offer.choose("audio", name_of(G711::a_law), "", choice))
    throw WebRefused{406,
                     "the camera takes G.711 (PCMU or PCMA), and the offer has " + offer.offered("audio")};
}

Voice::Voice(const Wish &wish, const WebRtcConfig &config, const SpeechForm &form, Packets packets) {
  need_g711(wish.offer);
  Offer::Choice choice;
  G711 law = form.law;
  if (!wish.offer.choose("audio", name_of(law), "", choice)) {
    law = law == G711::mu_law ? G711::a_law : G711::mu_law;
    wish.offer.choose("audio", name_of(law), "", choice);
  }
  impl_ = std::make_unique<Impl>(config, wish.on_this_machine, std::move(packets));
  impl_->add_chain(law, form);
  answer_ = impl_->connection.negotiate(wish.offer, {choice});
}

Voice::~Voice() = default;

void Voice::Impl::add_chain(G711 from, const SpeechForm &to) {
  std::vector<GstElement *> chain;
  const auto add = [&](const char *factory) {
    chain.push_back(tools::make_element(factory));
    gst_bin_add(GST_BIN(connection.pipeline()), chain.back());
    return chain.back();
  };
  first = add(elements_of(from).depayloader);
  if (from != to.law) {
    add(elements_of(from).decoder);
    add(elements_of(to.law).encoder);
  }
  // What is too much is left out before it is numbered.
  constexpr guint64 most_waiting_ns = 500'000'000;
  constexpr guint most_waiting_bytes = 16 << 10;
  GstElement *queue = add("queue");
  g_object_set(queue, "max-size-buffers", 0u, "max-size-bytes", most_waiting_bytes, "max-size-time",
               most_waiting_ns, nullptr);
  gst_util_set_object_arg(G_OBJECT(queue), "leaky", "downstream");
  const gst::ObjectPtr<GstPad> into(gst_element_get_static_pad(queue, "sink"));
  gst_pad_add_probe(into.get(), GST_PAD_PROBE_TYPE_BUFFER, guarded<on_speech, GST_PAD_PROBE_DROP>, this,
                    nullptr);
  constexpr gint64 packet_ns = 20'000'000; // as most cameras and telephones have it
  GstElement *pay = add(elements_of(to.law).payloader);
  g_object_set(pay, "pt", static_cast<guint>(to.payload), "min-ptime", packet_ns, "max-ptime", packet_ns,
               nullptr);
  GstElement *sink = add("appsink");
  g_object_set(sink, "sync", FALSE, "async", FALSE, "max-buffers", 1u, nullptr);
  GstAppSinkCallbacks callbacks{};
  callbacks.new_sample = guarded<packet, GST_FLOW_ERROR>;
  gst_app_sink_set_callbacks(GST_APP_SINK(sink), &callbacks, this, nullptr);
  for (std::size_t i = 1; i < chain.size(); i++) tools::link({chain[i - 1], chain[i]});
}

void Voice::Impl::arrives(GstPad *pad) const {
  const gst::ObjectPtr<GstPad> sink(gst_element_get_static_pad(first, "sink"));
  if (gst_pad_is_linked(sink.get()) || gst_pad_link(pad, sink.get()) != GST_PAD_LINK_OK) return;
  gst_pad_add_probe(pad,
                    static_cast<GstPadProbeType>(GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_BUFFER_LIST),
                    guarded<on_packet, GST_PAD_PROBE_OK>, const_cast<Impl *>(this), nullptr);
}

GstPadProbeReturn Voice::Impl::on_packet(GstPad *, GstPadProbeInfo *, gpointer user) {
  static_cast<Impl *>(user)->connection.heard();
  return GST_PAD_PROBE_OK;
}

// Nobody speaks faster than time passes.
GstPadProbeReturn Voice::Impl::on_speech(GstPad *, GstPadProbeInfo *info, gpointer user) {
  constexpr double bytes_a_second = 8000, most_ahead = 1;
  Impl &v = *static_cast<Impl *>(user);
  const double now = Utc::monotonic_seconds();
  const auto bytes = static_cast<double>(gst_buffer_get_size(GST_PAD_PROBE_INFO_BUFFER(info)));
  const double until = std::max(now, v.said_until) + bytes / bytes_a_second;
  if (until - now > most_ahead) return GST_PAD_PROBE_DROP;
  v.said_until = until;
  return GST_PAD_PROBE_OK;
}

GstFlowReturn Voice::Impl::packet(GstAppSink *sink, gpointer user) {
  const gst::SamplePtr sample(gst_app_sink_pull_sample(sink));
  if (sample) static_cast<Impl *>(user)->packets(sample.get());
  return GST_FLOW_OK;
}

void Voice::candidate(const std::string &line) {
  impl_->connection.candidate(line);
}

std::string Voice::over(double now) const {
  return impl_->connection.over(now, longest_silence);
}

} // namespace vigil::monitor
