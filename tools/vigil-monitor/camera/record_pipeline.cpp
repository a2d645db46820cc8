// SPDX-License-Identifier: LGPL-2.1-or-later
#include "record_pipeline.h"

#include "common/error.h"
#include "common/guarded.h"
#include "tools/base/gst_ptr.h"

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
                     std::move(events), contexts, utc) {}

RecordPipeline::~RecordPipeline() {
  take_down();
}

void RecordPipeline::link(GstPad *pad, const std::string &caps) {
  const StoredFormat *format = stored_format(caps);
  if (!format)
    fail(Error::Kind::bad_setting, "the stream to record is ", caps,
         ", which is not stored as it comes: have the camera send H.264 or H.265, or give it one source");
  GstElement *first = add_storing({add(format->parser)}, format->caps);
  const tools::ObjectPtr<GstPad> sink(gst_element_get_static_pad(first, "sink"));
  GstPad *ready = prepared(pad, caps);
  gst_pad_add_probe(ready, GST_PAD_PROBE_TYPE_BUFFER, guarded<count, GST_PAD_PROBE_OK>, this, nullptr);
  gst_pad_link(ready, sink.get());
}

GstPadProbeReturn RecordPipeline::count(GstPad *, GstPadProbeInfo *, gpointer user) {
  RecordPipeline &self = *static_cast<RecordPipeline *>(user);
  self.frames_in_++;
  self.frames_out_++;
  return GST_PAD_PROBE_OK;
}

} // namespace vigil::monitor
