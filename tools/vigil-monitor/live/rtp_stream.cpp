// SPDX-License-Identifier: LGPL-2.1-or-later
#include "rtp_stream.h"

#include "common/error.h"
#include "common/guarded.h"
#include "gst/video/gst_ptr.h"
#include "tools/base/pipeline.h"

#include <algorithm>
#include <cstdio>
#include <gst/app/gstappsink.h>
#include <utility>

namespace vigil::monitor {
namespace {

constexpr guint packet_bytes = 1200; // less than what any network takes whole, with all that goes around it
constexpr guint64 most_waiting_bytes = 32 << 20;
constexpr std::size_t rtp_header = 12;

std::string caps_name(const GstCaps *caps) {
  return caps && gst_caps_get_size(caps) ? gst_structure_get_name(gst_caps_get_structure(caps, 0)) : "";
}

// The second byte of avcC is the profile.
std::string profile_of(const GstCaps *caps) {
  const GValue *data = gst_structure_get_value(gst_caps_get_structure(caps, 0), "codec_data");
  GstBuffer *buffer = data && GST_VALUE_HOLDS_BUFFER(data) ? gst_value_get_buffer(data) : nullptr;
  guint8 profile = 0;
  if (!buffer || gst_buffer_extract(buffer, 1, &profile, 1) != 1) return "";
  char text[3];
  std::snprintf(text, sizeof text, "%02x", profile);
  return text;
}

} // namespace

std::string RtpStream::codec_of_sound(const GstCaps *caps) {
  const std::string name = caps_name(caps);
  return name == "audio/x-opus"    ? "OPUS"
         : name == "audio/x-alaw"  ? "PCMA"
         : name == "audio/x-mulaw" ? "PCMU"
                                   : "";
}

RtpStream::Chain::~Chain() {
  if (!pipeline) return;
  gst_element_set_state(pipeline, GST_STATE_NULL);
  gst_object_unref(pipeline);
}

void RtpStream::Chain::begin(const char *payloader, GstCaps *caps, RtpStream &of, bool are_pictures) {
  stream = &of;
  pictures = are_pictures;
  pipeline = gst_pipeline_new(nullptr);
  gst_object_ref_sink(pipeline);
  const auto add = [this](const char *factory) {
    GstElement *e = tools::make_element(factory);
    gst_bin_add(GST_BIN(pipeline), e);
    return e;
  };
  GstElement *in = add("appsrc"), *pay = add(payloader), *out = add("appsink");
  source = GST_APP_SRC(in);
  g_object_set(in, "caps", caps, "format", GST_FORMAT_TIME, "max-bytes", guint64{0}, "block", FALSE, nullptr);
  g_object_set(pay, "mtu", packet_bytes, nullptr);
  if (pictures) {
    constexpr int before_each_key_frame = -1;
    g_object_set(pay, "config-interval", before_each_key_frame, nullptr);
    gst_util_set_object_arg(G_OBJECT(pay), "aggregate-mode", "zero-latency");
  }
  g_object_set(out, "sync", FALSE, "async", FALSE, "max-buffers", 0u, nullptr);
  GstAppSinkCallbacks callbacks{};
  callbacks.new_sample = guarded<packet, GST_FLOW_ERROR>;
  gst_app_sink_set_callbacks(GST_APP_SINK(out), &callbacks, this, nullptr);
  tools::link({in, pay, out});
  gst_element_set_state(pipeline, GST_STATE_PLAYING);
}

void RtpStream::Chain::push(GstBuffer *buffer, double shown) const {
  if (!source || gst_app_src_get_current_level_bytes(source) > most_waiting_bytes) return;
  if (pictures && !GST_BUFFER_FLAG_IS_SET(buffer, GST_BUFFER_FLAG_DELTA_UNIT))
    tools::send_parameter_sets(GST_ELEMENT(source));
  GstBuffer *copy = gst_buffer_copy(buffer); // its memory is shared
  GST_BUFFER_PTS(copy) = shown > 0 ? static_cast<GstClockTime>(shown * 1e9) : 0;
  GST_BUFFER_DTS(copy) = GST_CLOCK_TIME_NONE;
  gst_app_src_push_buffer(source, copy);
}

RtpStream::RtpStream(GstCaps *video, GstCaps *sound)
    : codec_(caps_name(video) == "video/x-h265" ? "H265" : "H264"),
      profile_(codec_ == "H264" ? profile_of(video) : ""), sound_codec_(codec_of_sound(sound)) {
  video_.begin(codec_ == "H264" ? "rtph264pay" : "rtph265pay", video, *this, true);
  if (sound_codec_.empty()) return;
  const char *payloader = sound_codec_ == "OPUS"   ? "rtpopuspay"
                          : sound_codec_ == "PCMA" ? "rtppcmapay"
                                                   : "rtppcmupay";
  sound_.begin(payloader, sound, *this, false);
}

RtpStream::~RtpStream() = default;

void RtpStream::push(GstBuffer *buffer, double time) {
  if (ended_) return;
  const GstClockTime pts = GST_BUFFER_PTS(buffer), dts = GST_BUFFER_DTS(buffer);
  const bool has_pts = GST_CLOCK_TIME_IS_VALID(pts);
  constexpr GstClockTime begins_again = GST_SECOND; // a file does, or a camera's clock was set
  // B-frames go back again and again; a clock that is corrected, as by a camera's first RTCP report, once.
  constexpr int step_back = 16, enough = 24; // pictures in order take one each away again
  if (has_pts && GST_CLOCK_TIME_IS_VALID(last_pts_) && pts < last_pts_ && last_pts_ - pts < begins_again) {
    steps_back_ += step_back;
    if (steps_back_ >= enough) reordered_ = true;
  } else if (steps_back_ > 0) {
    steps_back_--;
  }
  if (has_pts) last_pts_ = pts;
  const bool later = has_pts && GST_CLOCK_TIME_IS_VALID(dts) && pts > dts;
  video_.push(buffer, time + (later ? static_cast<double>(pts - dts) / 1e9 : 0));
}

void RtpStream::push_sound(SoundForm form, GstCaps *caps, GstBuffer *buffer, double time) {
  if (ended_ || form != SoundForm::sent || codec_of_sound(caps) != sound_codec_) return;
  sound_.push(buffer, time);
}

GstFlowReturn RtpStream::packet(GstAppSink *sink, gpointer user) {
  Chain &chain = *static_cast<Chain *>(user);
  const gst::SamplePtr sample(gst_app_sink_pull_sample(sink));
  if (GstBuffer *buffer = sample ? gst_sample_get_buffer(sample.get()) : nullptr)
    chain.stream->take(chain, buffer);
  return GST_FLOW_OK;
}

// Puts a picture's packets together: the last one has the marker bit.
void RtpStream::take(Chain &chain, GstBuffer *buffer) {
  guint8 head[2];
  constexpr guint8 version_alone = 0x80, marker = 0x80;
  if (gst_buffer_get_size(buffer) <= rtp_header ||
      gst_buffer_extract(buffer, 0, head, sizeof head) != sizeof head || head[0] != version_alone)
    return; // no payloader of ours gives more than that in its header
  if (!chain.unit) {
    chain.unit = std::make_shared<RtpUnit>();
    chain.unit->time =
        GST_BUFFER_PTS_IS_VALID(buffer) ? static_cast<double>(GST_BUFFER_PTS(buffer)) / 1e9 : 0;
    chain.unit->key = !GST_BUFFER_FLAG_IS_SET(buffer, GST_BUFFER_FLAG_DELTA_UNIT);
  }
  chain.unit->bytes += gst_buffer_get_size(buffer);
  chain.unit->packets.emplace_back(gst_buffer_ref(buffer));
  if (!chain.pictures || head[1] & marker) give(std::exchange(chain.unit, nullptr), chain.pictures);
}

void RtpStream::give(RtpUnitPtr unit, bool picture) {
  if (picture) {
    const auto numbered = std::const_pointer_cast<RtpUnit>(unit); // nobody else has it yet
    const std::lock_guard guard(lock_);
    numbered->number = ++number_;
    if (unit->key) {
      kept_.clear();
      bytes_ = 0;
    }
    if (unit->key || !kept_.empty()) {
      kept_.push_back(unit);
      bytes_ += unit->bytes;
    }
    if (bytes_ > most_kept) { // who comes waits for the next key frame
      kept_.clear();
      bytes_ = 0;
    }
  }
  for (const auto &v : viewers())
    if (picture)
      v->picture(unit);
    else
      v->sound(unit);
}

std::vector<std::shared_ptr<RtpViewer>> RtpStream::viewers() const {
  const std::lock_guard guard(lock_);
  return viewers_;
}

void RtpStream::join(const std::shared_ptr<RtpViewer> &viewer) {
  for (std::uint64_t last = 0;;) {
    std::vector<RtpUnitPtr> missing;
    {
      const std::lock_guard guard(lock_);
      for (const RtpUnitPtr &unit : kept_)
        if (unit->number > last) missing.push_back(unit);
      if (missing.empty()) return viewers_.push_back(viewer);
    }
    for (const RtpUnitPtr &unit : missing) viewer->picture(unit);
    last = missing.back()->number;
  }
}

void RtpStream::leave(const RtpViewer *viewer) {
  const std::lock_guard guard(lock_);
  std::erase_if(viewers_, [&](const auto &v) { return v.get() == viewer; });
}

} // namespace vigil::monitor
