// SPDX-License-Identifier: LGPL-2.1-or-later
#include "camera_stream.h"

#include "../camera/utc.h"
#include "common/error.h"
#include "gst/video/gst_ptr.h"
#include "onvif_pay.h"
#include "tools/base/pipeline.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <utility>

namespace vigil::monitor {
namespace {

// Of a client that is too slow, the RTSP server keeps what it can; behind it nothing may collect.
constexpr guint64 most_video_waiting = 16 << 20, most_documents_waiting = 1 << 20,
                  most_sound_waiting = 1 << 20; // bytes
// A client cannot know the stream before each part of it has sent something.
constexpr const char *no_findings = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<tt:MetadataStream "
                                    "xmlns:tt=\"http://www.onvif.org/ver10/schema\"/>\n";

GstElement *new_payloader(GstCaps *video) {
  const std::string type = gst_structure_get_name(gst_caps_get_structure(video, 0));
  const char *factory = type == "video/x-h264"   ? "rtph264pay"
                        : type == "video/x-h265" ? "rtph265pay"
                        : type == "image/jpeg"   ? "rtpjpegpay"
                                                 : nullptr;
  if (!factory) fail(Error::Kind::bad_setting, "a stream of ", type, " cannot be offered by RTSP");
  GstElement *pay = tools::make_element(factory, "pay0");
  constexpr guint video_type = 96;
  g_object_set(pay, "pt", video_type, nullptr);
  // Clients that join later need the parameter sets, too.
  if (g_object_class_find_property(G_OBJECT_GET_CLASS(pay), "config-interval"))
    g_object_set(pay, "config-interval", -1, nullptr);
  return pay;
}

// Null: GStreamer has none, and the stream is without sound.
GstElement *new_sound_payloader(const GstCaps *sound) {
  const std::string codec = sound_codec_of(sound);
  const char *factory = codec == "opus"   ? "rtpopuspay"
                        : codec == "pcma" ? "rtppcmapay"
                        : codec == "pcmu" ? "rtppcmupay"
                                          : "rtpmp4gpay";
  if (!tools::has_element(factory)) return nullptr;
  GstElement *pay = tools::make_element(factory, "pay2");
  constexpr guint sound_type = 97;
  if (codec == "opus" || codec == "aac") g_object_set(pay, "pt", sound_type, nullptr);
  return pay;
}

GstAppSrc *add_source(GstElement *bin, GstCaps *caps, GstElement *pay) {
  GstElement *source = tools::make_element("appsrc");
  gst_bin_add_many(GST_BIN(bin), source, pay, nullptr);
  g_object_set(source, "caps", caps, "format", GST_FORMAT_TIME, "is-live", TRUE, "max-bytes", guint64{0},
               "block", FALSE, nullptr);
  tools::link({source, pay});
  return GST_APP_SRC(gst_object_ref(source));
}

} // namespace

RtspCameraStream::RtspCameraStream(GstCaps *video, GstCaps *sound)
    : began_(std::numeric_limits<double>::quiet_NaN()) {
  GstElement *pay = new_payloader(video);
  bin_ = gst_bin_new(nullptr);
  gst_object_ref_sink(bin_);
  video_ = add_source(bin_, video, pay);
  GstElement *onvif = new_onvif_pay("pay1");
  constexpr guint metadata_type = 98;
  g_object_set(onvif, "pt", metadata_type, nullptr);
  const gst::CapsPtr caps(gst_caps_new_empty_simple(onvif_media_type));
  documents_ = add_source(bin_, caps.get(), onvif);
  GstBuffer *first = gst_buffer_new_memdup(no_findings, std::strlen(no_findings));
  GST_BUFFER_PTS(first) = 0;
  gst_app_src_push_buffer(documents_, first);
  if (GstElement *of_sound = sound ? new_sound_payloader(sound) : nullptr)
    sound_ = add_source(bin_, sound, of_sound);
}

RtspCameraStream::~RtspCameraStream() {
  gst_object_unref(video_);
  gst_object_unref(documents_);
  if (sound_) gst_object_unref(sound_);
  if (bin_) gst_object_unref(bin_);
}

GstElement *RtspCameraStream::take_bin() {
  return std::exchange(bin_, nullptr);
}

std::optional<GstClockTime> RtspCameraStream::now() const {
  GstClock *clock = gst_element_get_clock(GST_ELEMENT(video_));
  if (!clock) return std::nullopt;
  const GstClockTime time = gst_clock_get_time(clock), base = gst_element_get_base_time(GST_ELEMENT(video_));
  gst_object_unref(clock);
  return base > 0 && time > base ? std::optional(time - base) : std::nullopt;
}

void RtspCameraStream::push(GstBuffer *buffer, double time) {
  if (ended_) return;
  const GstClockTime own = GST_BUFFER_DTS_IS_VALID(buffer) ? GST_BUFFER_DTS(buffer) : GST_BUFFER_PTS(buffer);
  if (!GST_CLOCK_TIME_IS_VALID(own)) return;
  if (!GST_CLOCK_TIME_IS_VALID(first_)) {
    if (GST_BUFFER_FLAG_IS_SET(buffer, GST_BUFFER_FLAG_DELTA_UNIT)) return;
    first_ = own;
  }
  constexpr double fresh = 0.5; // seconds: later ones would make those after them late
  const double age = Utc::monotonic_seconds() - time;
  if (const auto at = now(); at && *at > last_ && std::isnan(began_) && age < fresh) {
    shift_ = GST_CLOCK_DIFF(own, *at);
    began_ = time - static_cast<double>(*at) / GST_SECOND;
  }
  if (gst_app_src_get_current_level_bytes(video_) > most_video_waiting) return end();
  GstBuffer *copy = gst_buffer_copy(buffer); // its memory is shared
  const auto moved = [&](GstClockTime t) {
    if (!GST_CLOCK_TIME_IS_VALID(t)) return t;
    constexpr GstClockTimeDiff faster = 200;
    const auto stream_time = static_cast<GstClockTimeDiff>(t);
    const GstClockTimeDiff running = std::isnan(began_)
                                         ? (stream_time - static_cast<GstClockTimeDiff>(first_)) / faster
                                         : stream_time + shift_;
    return static_cast<GstClockTime>(std::max<GstClockTimeDiff>(0, running));
  };
  GST_BUFFER_PTS(copy) = moved(GST_BUFFER_PTS(copy));
  GST_BUFFER_DTS(copy) = moved(GST_BUFFER_DTS(copy));
  last_ = std::max(last_, moved(own));
  if (!GST_BUFFER_FLAG_IS_SET(buffer, GST_BUFFER_FLAG_DELTA_UNIT))
    tools::send_parameter_sets(GST_ELEMENT(video_));
  if (gst_app_src_push_buffer(video_, copy) == GST_FLOW_ERROR) end();
}

void RtspCameraStream::push_sound(SoundForm form, GstCaps *, GstBuffer *buffer, double time) {
  if (!sound_ || ended_ || form != SoundForm::sent) return;
  const bool first = sound_until_ < 0;
  const double at = std::isnan(began_) ? 0 : time - began_;
  // Of what comes before the pictures are on time, one piece says what the sound is.
  if (!first && (std::isnan(began_) || at < sound_until_)) return;
  if (gst_app_src_get_current_level_bytes(sound_) > most_sound_waiting) return;
  GstBuffer *copy = gst_buffer_copy(buffer); // its memory is shared
  GST_BUFFER_PTS(copy) = static_cast<GstClockTime>(std::max(at, 0.0) * GST_SECOND);
  GST_BUFFER_DTS(copy) = GST_CLOCK_TIME_NONE;
  constexpr double gap = 0.2; // seconds, after which payloaders take the time instead of counting samples
  if (first || at - sound_until_ > gap)
    GST_BUFFER_FLAG_SET(copy, GST_BUFFER_FLAG_DISCONT);
  else
    GST_BUFFER_FLAG_UNSET(copy, GST_BUFFER_FLAG_DISCONT);
  sound_until_ = std::max(at, 0.0);
  gst_app_src_push_buffer(sound_, copy);
}

void RtspCameraStream::findings(const Bytes &document, double captured) {
  const double at = captured - began_;
  // Those of before the first picture are of no use, and no client is so slow that a second matters.
  if (ended_ || !(at >= 0) || gst_app_src_get_current_level_bytes(documents_) > most_documents_waiting)
    return;
  GstBuffer *buffer = gst_buffer_new_memdup(document->data(), document->size());
  GST_BUFFER_PTS(buffer) = static_cast<GstClockTime>(at * GST_SECOND);
  gst_app_src_push_buffer(documents_, buffer);
}

void RtspCameraStream::end() {
  ended_ = true; // the server ends its clients
}

} // namespace vigil::monitor
