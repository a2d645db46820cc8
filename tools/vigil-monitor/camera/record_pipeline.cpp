// SPDX-License-Identifier: LGPL-2.1-or-later
#include "record_pipeline.h"

#include "common/error.h"
#include "common/guarded.h"
#include "gpu_pictures.h"
#include "gst/video/gst_ptr.h"
#include "straightener.h"
#include "tools/base/pipeline.h"

#include <utility>

namespace vigil::monitor {

const StoredFormat *stored_format(const std::string &caps) {
  static constexpr StoredFormat h264{"h264parse", "video/x-h264,stream-format=avc,alignment=au"},
      h265{"h265parse", "video/x-h265,stream-format=hvc1,alignment=au"};
  return caps == "video/x-h264" ? &h264 : caps == "video/x-h265" ? &h265 : nullptr;
}

RecordPipeline::RecordPipeline(const CameraConfig &config, StreamEvents events,
                               tools::SharedContexts &contexts, const Utc &utc)
    : StreamPipeline(config, config.name + "-record", config.record_source, config.takes_sound(),
                     std::move(events), contexts, utc) {
  if (config.privacy.silhouettes) fail(Error::Kind::bad_setting, silhouettes_of_two_streams);
}

RecordPipeline::~RecordPipeline() {
  take_down();
}

void RecordPipeline::link(GstPad *pad, const std::string &caps) {
  if (config_.privacy.asked()) return link_covered(pad, caps);
  const StoredFormat *format = stored_format(caps);
  if (!format)
    fail(Error::Kind::bad_setting, "the stream to record is ", caps,
         ", which is not stored as it comes: have the camera send H.264 or H.265, or give it one source");
  GstElement *first = recorder_sink_.add({add(format->parser)}, format->caps);
  const gst::ObjectPtr<GstPad> sink(gst_element_get_static_pad(first, "sink"));
  GstPad *ready = prepared(pad, caps);
  gst_pad_add_probe(ready, GST_PAD_PROBE_TYPE_BUFFER, guarded<count, GST_PAD_PROBE_OK>, this, nullptr);
  gst_pad_link(ready, sink.get());
}

// As frames that are late are left out behind it, the decoder keeps up, or the source waits.
void RecordPipeline::link_covered(GstPad *pad, const std::string &caps) {
  encoding_ = add_encoding();
  GstPad *ready = prepared(pad, caps);
  gst_pad_add_probe(ready, GST_PAD_PROBE_TYPE_BUFFER, guarded<count, GST_PAD_PROBE_OK>, this, nullptr);
  GstElement *first = uncovered_ ? uncovered_->add(caps) : nullptr;
  if (caps == "video/x-raw") return link_pictures(ready);
  GstElement *tee = add("tee"), *queue = add("queue"), *decode = add("decodebin");
  g_signal_connect(decode, "pad-added", G_CALLBACK(guarded<decoded_pad>), this);
  g_object_set(decode, "async-handling", TRUE, nullptr);
  tools::link({tee, queue, decode});
  if (first) tools::link({tee, first});
  for (GstElement *e : {decode, queue, tee}) gst_element_sync_state_with_parent(e);
  const gst::ObjectPtr<GstPad> sink(gst_element_get_static_pad(tee, "sink"));
  gst_pad_link(ready, sink.get());
}

void RecordPipeline::link_pictures(GstPad *pad) {
  const gst::ObjectPtr<GstPad> sink(gst_element_get_static_pad(encoding_, "sink"));
  if (gst_pad_is_linked(sink.get())) return;
  size_guard_.watch_caps(pad);
  Straightener::watch(GST_BIN(pipeline_), pad, sink.get(), on_gpu());
  gst_pad_link(pad, sink.get());
}

void RecordPipeline::decoded_pad(GstElement *, GstPad *pad, gpointer user) {
  gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_BUFFER, guarded<count_decoded, GST_PAD_PROBE_OK>, user, nullptr);
  static_cast<RecordPipeline *>(user)->link_pictures(pad);
}

GstPadProbeReturn RecordPipeline::count_decoded(GstPad *, GstPadProbeInfo *, gpointer user) {
  static_cast<RecordPipeline *>(user)->frames_.decoded++;
  return GST_PAD_PROBE_OK;
}

GstPadProbeReturn RecordPipeline::count(GstPad *, GstPadProbeInfo *, gpointer user) {
  RecordPipeline &self = *static_cast<RecordPipeline *>(user);
  self.frames_.in++;
  self.frames_.out++;
  return GST_PAD_PROBE_OK;
}

} // namespace vigil::monitor
