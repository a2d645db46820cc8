// SPDX-License-Identifier: LGPL-2.1-or-later
// Frames of the guide as the filter needs them: of the picture's format and size. GStreamer's own converter
// (GstVideoConverter) makes them on the host where they differ; it is made once for each pair of formats.
#pragma once

#include "gst/video/gst_ptr.h"

#include <gst/video/video.h>
#include <memory>

namespace vigil::gst::cljointbilateral {

class GuideConverter {
 public:
  // Throws Error::bad_setting when there is no way from one format to the other.
  GuideConverter(const GstVideoInfo &guide, const GstVideoInfo &picture);
  // The frame itself where nothing differs, else a buffer of the converter's, whose content stays until the
  // next call with another frame. The same frame is converted once. Throws Error::bad_data when the frame is
  // not what its caps say.
  GstBuffer *convert(GstBuffer *);

 private:
  GstVideoInfo from_, to_;
  std::unique_ptr<GstVideoConverter, Releaser<gst_video_converter_free>>
      converter_;                // null where nothing differs
  BufferPtr converted_, source_; // what was made last, and of what
};

} // namespace vigil::gst::cljointbilateral
