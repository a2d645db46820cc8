// SPDX-License-Identifier: LGPL-2.1-or-later
#include "live_mp4.h"

#include "gst/video/gst_ptr.h"
#include "tools/base/mapped.h"
#include "tools/base/pipeline.h"

#include <gst/pbutils/pbutils.h>

namespace vigil::monitor {
namespace {

constexpr guint64 most_waiting = 16 << 20; // bytes: some ten seconds of a large camera

std::string type_of(GstCaps *video, GstCaps *sound) {
  const gst::TextPtr codec(gst_codec_utils_caps_get_mime_codec(video)),
      heard(sound ? gst_codec_utils_caps_get_mime_codec(sound) : nullptr);
  if (!codec || (sound && !heard)) return "video/mp4";
  return std::string("video/mp4; codecs=\"") + codec.get() + (heard ? std::string(", ") + heard.get() : "") +
         "\"";
}

// Seconds of one packet of sound. Browsers refuse sound without a length, and not every parser says it.
double length_of(const GstCaps *caps, GstBuffer *buffer) {
  const GstStructure *s = gst_caps_get_structure(caps, 0);
  if (!gst_structure_has_name(s, "audio/x-opus")) {
    constexpr double samples = 1024; // of AAC
    int rate = 0;
    return samples / (gst_structure_get_int(s, "rate", &rate) && rate > 0 ? rate : 48000);
  }
  guint8 head[2] = {};
  gst_buffer_extract(buffer, 0, head, sizeof head);
  // RFC 6716, 3.1: what a frame lasts, and how many there are.
  constexpr double silk[] = {10, 20, 40, 60}, hybrid[] = {10, 20}, celt[] = {2.5, 5, 10, 20};
  const int kind = head[0] >> 3, code = head[0] & 3;
  constexpr int first_hybrid = 12, first_celt = 16;
  const double frame = kind < first_hybrid ? silk[kind & 3]
                       : kind < first_celt ? hybrid[kind & 1]
                                           : celt[kind & 3];
  const int frames = code == 0 ? 1 : code == 3 ? head[1] & 0x3f : 2;
  return frames * frame / 1000;
}

} // namespace

LiveMp4::LiveMp4(GstCaps *video, GstCaps *sound) : type_(type_of(video, sound)) {
  pipeline_ = gst_pipeline_new(nullptr);
  gst_object_ref_sink(pipeline_);
  try {
    GstElement *source = tools::make_element("appsrc");
    gst_bin_add(GST_BIN(pipeline_), source);
    GstElement *mux = tools::make_element("mp4mux");
    gst_bin_add(GST_BIN(pipeline_), mux);
    GstElement *sink = tools::make_element("appsink");
    gst_bin_add(GST_BIN(pipeline_), sink);
    source_ = GST_APP_SRC(source);
    sink_ = GST_APP_SINK(sink);
    g_object_set(source, "caps", video, "format", GST_FORMAT_TIME, "max-bytes", guint64{0}, "block", FALSE,
                 nullptr);
    if (sound) {
      GstElement *of_sound = tools::make_element("appsrc");
      gst_bin_add(GST_BIN(pipeline_), of_sound);
      sound_ = GST_APP_SRC(of_sound);
      g_object_set(of_sound, "caps", sound, "format", GST_FORMAT_TIME, "max-bytes", guint64{0}, "block",
                   FALSE, nullptr);
    }
    constexpr guint piece_ms = 100, most_pieces = 64;
    g_object_set(mux, "fragment-duration", piece_ms, "streamable", TRUE, nullptr);
    g_object_set(sink, "sync", FALSE, "async", FALSE, "max-buffers", most_pieces, nullptr);
    gst_element_link_pads(source, "src", mux, "video_%u"); // left to choose it would take a pad for sound
    if (sound_) gst_element_link_pads(GST_ELEMENT(sound_), "src", mux, "audio_%u");
    tools::link({mux, sink});
  } catch (...) {
    gst_object_unref(pipeline_);
    throw;
  }
  gst_element_set_state(pipeline_, GST_STATE_PLAYING);
}

LiveMp4::~LiveMp4() {
  gst_element_set_state(pipeline_, GST_STATE_NULL);
  gst_object_unref(pipeline_);
}

void LiveMp4::push(GstBuffer *buffer, double time) {
  if (ended_) return;
  // Behind a full sink the muxer waits, and what is pushed collects in the source.
  if (gst_app_src_get_current_level_bytes(source_) > most_waiting) return end();
  if (first_ == 0) first_ = heard_ = time;
  if (gst_app_src_push_buffer(source_, times_.copy(buffer)) != GST_FLOW_OK) end();
  // The muxer waits for sound, too: of a camera whose sound stalls it is said that there is none.
  constexpr double longest = 0.5;
  if (!sound_ || time - heard_ < longest) return;
  const auto from = static_cast<GstClockTime>((heard_ - first_) * 1e9);
  const auto length = static_cast<GstClockTime>((time - heard_) * 1e9);
  heard_ = time;
  gst_element_send_event(GST_ELEMENT(sound_), gst_event_new_gap(from, length));
}

void LiveMp4::push_sound(SoundForm form, GstCaps *caps, GstBuffer *buffer, double time) {
  if (!sound_ || ended_ || form != SoundForm::stored || first_ == 0 || time < heard_) return;
  GstBuffer *copy = gst_buffer_copy(buffer); // its memory is shared
  GST_BUFFER_PTS(copy) = GST_BUFFER_DTS(copy) = static_cast<GstClockTime>((time - first_) * 1e9);
  const double length = length_of(caps, buffer);
  GST_BUFFER_DURATION(copy) = static_cast<GstClockTime>(length * 1e9);
  heard_ = time + length / 2;
  gst_app_src_push_buffer(sound_, copy);
}

void LiveMp4::end() {
  if (ended_.exchange(true)) return;
  gst_app_src_end_of_stream(source_);
  if (sound_) gst_app_src_end_of_stream(sound_);
}

Bytes LiveMp4::next() {
  constexpr GstClockTime patience = 10 * GST_SECOND;
  const gst::SamplePtr sample(gst_app_sink_try_pull_sample(sink_, patience));
  GstBuffer *buffer = sample ? gst_sample_get_buffer(sample.get()) : nullptr;
  const tools::MappedBuffer map(buffer);
  return map ? std::make_shared<const std::string>(map.bytes()) : nullptr;
}

} // namespace vigil::monitor
