// SPDX-License-Identifier: LGPL-2.1-or-later
// Where raw pictures come in, from a decoder or from the source: those that a decoder left on the GPU are
// converted there. They go on to the chain, to tiles and to the encoder.
#pragma once

#include "gpu_pictures.h"
#include "gst/video/gst_ptr.h"
#include "picture_size.h"
#include "pipeline_element.h"
#include "tools/base/pipeline.h"

#include <gst/gst.h>

namespace vigil::monitor {

class PictureEntry {
 public:
  // Adds the elements to the pipeline. Throws Error::no_device.
  explicit PictureEntry(GstElement *pipeline);

  // The pad that pictures are given to; not linked yet when the pipeline begins.
  gst::ObjectPtr<GstPad> way_in() const;
  // The pad that all pictures pass, converted.
  gst::ObjectPtr<GstPad> passage() const;
  GstElement *tee() const { return tee_; } // what they go on from
  PictureSize &size() { return size_; }    // of the pictures, as they came
  const PictureSize &size() const { return size_; }

 private:
  GstElement *first_, *tee_;
  PictureSize size_;
};

inline PictureEntry::PictureEntry(GstElement *pipeline)
    : first_(add_element(pipeline, on_gpu() ? "cudaupload" : "videoconvert")), tee_(nullptr) {
  GstElement *last = first_;
  if (on_gpu()) {
    last = add_element(pipeline, "cudaconvert");
    tools::link({first_, last});
  }
  tee_ = add_element(pipeline, "tee");
  tools::link({last, tee_});
}

inline gst::ObjectPtr<GstPad> PictureEntry::way_in() const {
  return gst::ObjectPtr<GstPad>(gst_element_get_static_pad(first_, "sink"));
}

inline gst::ObjectPtr<GstPad> PictureEntry::passage() const {
  return gst::ObjectPtr<GstPad>(gst_element_get_static_pad(tee_, "sink"));
}

} // namespace vigil::monitor
