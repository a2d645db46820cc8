// SPDX-License-Identifier: LGPL-2.1-or-later
// Covers the parts of a picture that a camera must not show (CameraConfig::privacy), before it is encoded.
#pragma once

#include <gst/gst.h>
extern "C" { // see tint.cpp
#include <gst/video/video.h>
}

#include "../config/config.h"
#include "silhouettes.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace vigil::monitor {

class PrivacyCover {
 public:
  // What hides the silhouettes of a picture that comes through the pad; none: its mask did not come.
  using Moving = std::function<std::optional<SharedSilhouettes>(GstPad *, GstBuffer *picture)>;
  // Covers each picture that comes through the pad. One that cannot be covered does not pass: it is an error
  // of the pipeline. `moving`: asked where the configuration has silhouettes. A picture without its mask does
  // not pass; if none passed for a second, it does, covered whole.
  static void watch(GstPad *, const PrivacyConfig &, Moving moving, GstElement *pipeline);

  explicit PrivacyCover(const PrivacyConfig &);

  // Of the pictures that come next. Throws Error::bad_data where they have no bytes of brightness and colour.
  void picture_caps(const GstVideoInfo &);
  // The picture must be writable. Throws Error::bad_data where it is not as the caps say. `moving`: looked at
  // where the configuration asks for silhouettes; null: all is covered.
  void draw(GstBuffer *picture, const SilhouetteCells *moving = nullptr);

 private:
  struct Callbacks;
  struct Part { // of one component of the picture
    int component, cell_width, cell_height;
  };
  void cover(const SilhouetteCells *moving); // sets cells_, for one picture
  void black(GstVideoFrame &, const Part &) const;
  void pixelate(GstVideoFrame &, const Part &) const;
  bool covers(int column, int row) const {
    return cells_[static_cast<std::size_t>(row) * static_cast<std::size_t>(columns_) +
                  static_cast<std::size_t>(column)] != 0;
  }

  const PrivacyConfig config_;
  GstVideoInfo info_{};
  int size_ = 1;                             // of cells, in pixels
  int columns_ = 0, rows_ = 0;               // of cells, each covered as a whole
  std::vector<std::uint8_t> always_, cells_; // row by row, not 0 where it is covered
  std::vector<Part> parts_;
};

} // namespace vigil::monitor
