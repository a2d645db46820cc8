// SPDX-License-Identifier: LGPL-2.1-or-later
#include "picture_entry.h"

#include "gpu_pictures.h"
#include "pipeline_element.h"
#include "tools/base/pipeline.h"

namespace vigil::monitor {

PictureEntry::PictureEntry(GstElement *pipeline)
    : first_(add_element(pipeline, on_gpu() ? "cudaupload" : "videoconvert")), tee_(nullptr) {
  GstElement *last = first_;
  if (on_gpu()) {
    last = add_element(pipeline, "cudaconvert");
    tools::link({first_, last});
  }
  tee_ = add_element(pipeline, "tee");
  tools::link({last, tee_});
}

tools::ObjectPtr<GstPad> PictureEntry::way_in() const {
  return tools::ObjectPtr<GstPad>(gst_element_get_static_pad(first_, "sink"));
}

tools::ObjectPtr<GstPad> PictureEntry::passage() const {
  return tools::ObjectPtr<GstPad>(gst_element_get_static_pad(tee_, "sink"));
}

} // namespace vigil::monitor
