// SPDX-License-Identifier: LGPL-2.1-or-later
// One frame on its way through the stages (stage.h): what is known of it, and what each stage hands to those
// after it. Made once for each frame that may be held, then used again and again. Knows no GStreamer.
#pragma once

#include "common/shifted.h"
#include "gst/cudamog/settings.h"
#include "gst/cudamog/stage_times.h"
#include "gst/metadata/box.h"
#include "kernels/cell_grid/cell_grid.h"
#include "kernels/exposure/exposure.h"
#include "kernels/ghost/boundary_contrast.h"
#include "kernels/tamper/tamper_detector.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace vigil::gst::cudamog {

// What a stage keeps with one frame, such as memory that the device writes to.
struct StageData {
  virtual ~StageData() = default;
};

// How the model learns from a frame.
struct LearningStep {
  double rate = 0;         // share of the frame in the model, 0..1
  bool relearning = false; // the model is learnt anew: no comparison with it says anything
  bool first = true;       // the model knew nothing before: all of the frame is foreground
  double at_once = 0;      // share of the cells that the model learns at once, 0..1
};

// The pixels that count.
struct RegionOfInterest {
  Plane<const std::uint8_t> mask; // in the device's memory, not 0 where pixels count; null: all of them do
  std::uint64_t pixels = 0;
  double share(double of_pixels) const { return of_pixels / double(pixels > 0 ? pixels : 1); }
};

// Sums along the outlines of the mask, one a cell, on the host (kernels/ghost). Empty: not measured.
struct ContourFeatures {
  std::span<const ghost::Cell> edges;
  std::span<const ghost::BoundaryContrast> rims;
  bool due = false; // stationary regions are judged by this frame
};

// What was found in a finished frame. Its stages edit it in their order.
struct Detections {
  std::vector<BlobBox> boxes;      // largest first
  std::vector<std::uint8_t> cells; // 1 where a reported blob has a pixel in the cell, else 0
  std::span<const std::uint8_t>
      lit; // light_frames where this frame's light was (kernels/ghost/stationary_regions.h)
  std::uint64_t foreground = 0, shadow = 0; // pixels
  bool dropped = false;                     // the frame says nothing about objects

  std::uint64_t area() const { // pixels
    std::uint64_t sum = 0;
    for (const BlobBox &b : boxes) sum += b.area;
    return sum;
  }
};

// Calls fn(cell) for each cell of the grid that the box touches.
template <class Fn>
void for_each_cell(const cell_grid::Grid &grid, const BlobBox &b, Fn fn) {
  for (int row = b.y / grid.size; row <= (b.y + b.height - 1) / grid.size; row++)
    for (int column = b.x / grid.size; column <= (b.x + b.width - 1) / grid.size; column++)
      fn(std::size_t(row * grid.columns + column));
}

// What is to be known outside: published as metadata, messages and statistics.
struct Report {
  enum class Light { steady, jumped, relearning } light = Light::steady;
  double changed_fraction = 0;         // 0..1: of the boxes; of all that changed when the light jumped
  double moving_fraction = 0;          // 0..1: the part of it that is motion
  std::optional<tamper::Event> tamper; // the camera was covered, blurred or moved
  exposure::Line exposure;             // of the first channel, against the background
  Shift shift;                         // against the background, pixels
  int ghost_cells = 0, object_cells = 0;
};

struct FrameContext {
  // Given by the caller.
  Settings settings;            // whose output is the one that this frame has
  unsigned settings_number = 0; // another one for other settings
  double seconds = 0;           // that the frame lasts
  ConstImage input;             // in the device's memory, as all pictures here
  Image output;                 // the picture to make; empty: none

  // Made by the stages.
  RegionOfInterest roi;
  LearningStep learning;
  std::optional<double> sketched; // seconds since the sketch before; none: there is none of this frame
  bool another_view = false;      // by this frame it was found that the camera looks at another place
  bool of_view_before = false;    // submitted before that took effect: compared with the view before
  Shifted background;             // as this frame would show it; null: not known
  ConstImage compensated;         // the frame as the model is to see it
  Plane<std::uint8_t> mask;
  const std::uint32_t *small_objects =
      nullptr; // K (kernels/cleanup/cleanup.h), to be put into the mask after it was measured; null: none
  ContourFeatures contours;
  Detections detections;
  Report report;
  std::uint64_t bytes = 0; // that were copied between host and device besides pictures

  // The list's own (stage_list.h): which stages the frame went through, what they keep with it.
  std::uint32_t stages = 0;
  std::vector<std::unique_ptr<StageData>> data;
  StageTimers timers;
};

} // namespace vigil::gst::cudamog
