// SPDX-License-Identifier: LGPL-2.1-or-later
// Covers the parts of a picture that a camera must not show (CameraConfig::privacy), before it is encoded.
#pragma once

#include <gst/gst.h>
extern "C" { // see tint.cpp
#include <gst/video/video.h>
}

#include "../config/config.h"

#include <cstdint>
#include <vector>

namespace vigil::monitor {

class PrivacyCover {
 public:
  // Covers each picture that comes through the pad. One that cannot be covered does not pass: it is an error
  // of the pipeline.
  static void watch(GstPad *, const PrivacyConfig &, GstElement *pipeline);

  explicit PrivacyCover(const PrivacyConfig &);

  // Of the pictures that come next. Throws Error::bad_data where they have no bytes of brightness and colour.
  void picture_caps(const GstVideoInfo &);
  // The picture must be writable. Throws Error::bad_data where it is not as the caps say.
  void draw(GstBuffer *picture) const;

 private:
  struct Callbacks;
  struct Part { // of one component of the picture
    int component, cell_width, cell_height;
  };
  void black(GstVideoFrame &, const Part &) const;
  void pixelate(GstVideoFrame &, const Part &) const;
  bool covers(int column, int row) const {
    return cells_[static_cast<std::size_t>(row) * static_cast<std::size_t>(columns_) +
                  static_cast<std::size_t>(column)] != 0;
  }

  const PrivacyConfig config_;
  GstVideoInfo info_{};
  int columns_ = 0, rows_ = 0;      // of cells, each covered as a whole
  std::vector<std::uint8_t> cells_; // row by row, not 0 where it is covered
  std::vector<Part> parts_;
};

} // namespace vigil::monitor
