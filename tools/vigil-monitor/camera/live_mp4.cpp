// SPDX-License-Identifier: LGPL-2.1-or-later
#include "live_mp4.h"

#include "tools/base/gst_ptr.h"
#include "tools/base/pipeline.h"

#include <gst/pbutils/pbutils.h>

namespace vigil::monitor {
namespace {

constexpr guint64 most_waiting = 16 << 20; // bytes: some ten seconds of a large camera

std::string type_of(GstCaps *caps) {
  const tools::TextPtr codec(gst_codec_utils_caps_get_mime_codec(caps));
  return codec ? std::string("video/mp4; codecs=\"") + codec.get() + "\"" : "video/mp4";
}

} // namespace

LiveMp4::LiveMp4(GstCaps *caps) : type_(type_of(caps)) {
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
    g_object_set(source, "caps", caps, "format", GST_FORMAT_TIME, "max-bytes", guint64{0}, "block", FALSE,
                 nullptr);
    constexpr guint piece_ms = 100, most_pieces = 64;
    g_object_set(mux, "fragment-duration", piece_ms, "streamable", TRUE, nullptr);
    g_object_set(sink, "sync", FALSE, "async", FALSE, "max-buffers", most_pieces, nullptr);
    gst_element_link_pads(source, "src", mux, "video_%u"); // left to choose it would take a pad for sound
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

void LiveMp4::push(GstBuffer *buffer, double) {
  if (ended_) return;
  // Behind a full sink the muxer waits, and what is pushed collects in the source.
  if (gst_app_src_get_current_level_bytes(source_) > most_waiting) return end();
  if (gst_app_src_push_buffer(source_, times_.copy(buffer)) != GST_FLOW_OK) end();
}

void LiveMp4::end() {
  if (!ended_.exchange(true)) gst_app_src_end_of_stream(source_);
}

Bytes LiveMp4::next() {
  constexpr GstClockTime patience = 10 * GST_SECOND;
  const tools::SamplePtr sample(gst_app_sink_try_pull_sample(sink_, patience));
  GstBuffer *buffer = sample ? gst_sample_get_buffer(sample.get()) : nullptr;
  GstMapInfo map;
  if (!buffer || !gst_buffer_map(buffer, &map, GST_MAP_READ)) return nullptr;
  auto bytes = std::make_shared<const std::string>(reinterpret_cast<const char *>(map.data), map.size);
  gst_buffer_unmap(buffer, &map);
  return bytes;
}

} // namespace vigil::monitor
