// SPDX-License-Identifier: LGPL-2.1-or-later
// Where raw pictures come in, from a decoder or from the source: those that a decoder left on the GPU are
// converted there. They go on to the chain, to tiles and to the encoder.
#pragma once

#include "picture_size.h"
#include "tools/base/gst_ptr.h"

#include <gst/gst.h>

namespace vigil::monitor {

class PictureEntry {
 public:
  // Adds the elements to the pipeline. Throws Error::no_device.
  explicit PictureEntry(GstElement *pipeline);

  // The pad that pictures are given to; not linked yet when the pipeline begins.
  tools::ObjectPtr<GstPad> way_in() const;
  // The pad that all pictures pass, converted.
  tools::ObjectPtr<GstPad> passage() const;
  GstElement *tee() const { return tee_; } // what they go on from
  PictureSize &size() { return size_; }    // of the pictures, as they came
  const PictureSize &size() const { return size_; }

 private:
  GstElement *first_, *tee_;
  PictureSize size_;
};

} // namespace vigil::monitor
