// SPDX-License-Identifier: LGPL-2.1-or-later
// A region of a mask that elements report. Knows no GStreamer.
#pragma once

#include "kernels/compose/compose.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace vigil::gst {

// The properties of a blob whose pixels are known.
struct BlobDetails {
  double x, y;       // centroid in pixels; the centre of the first pixel is 0.5, 0.5
  double xx, xy, yy; // central second moments, pixels^2
  int channels;      // of colours that are known, 0..3
  double colour[3];  // mean: R G B, or Y U V, as the frames are
};
struct BlobBox {
  int x, y, width, height;              // pixels
  std::uint32_t area;                   // foreground pixels in it
  std::optional<BlobDetails> details{}; // of exact blobs
  bool ghost = false;                   // background that an object laid bare (kernels/ghost)
};

inline std::vector<compose::DrawnBox> boxes_to_draw(std::span<const BlobBox> boxes) {
  std::vector<compose::DrawnBox> drawn;
  for (const BlobBox &b : boxes) drawn.push_back({b.x, b.y, b.width, b.height});
  return drawn;
}

} // namespace vigil::gst
