// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/cudamog/stages/region_of_interest.h"

#include "gst/metadata/png.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace vigil::gst::cudamog {

void RegionOfInterestStage::set_format(const Format &format) {
  const cell_grid::Grid &grid = format.grid;
  if (grid.width == width_ && grid.height == height_) return;
  width_ = grid.width;
  height_ = grid.height;
  location_.reset();
}

Restart RegionOfInterestStage::configure(const Settings &settings, Queue &queue) {
  const std::string &location = settings.mask_location;
  if (location_ == location) return Restart::none;
  DeviceBuffer roi_mask;
  std::uint64_t pixels = std::uint64_t(width_) * std::uint64_t(height_);
  if (!location.empty()) {
    const std::vector<std::uint8_t> image = read_grey_png(location, width_, height_);
    pixels = std::uint64_t(std::count_if(image.begin(), image.end(), [](int v) { return v != 0; }));
    roi_mask = DeviceBuffer(device_, image.size());
    device_.upload(roi_mask.as(), image.data(), image.size(), queue);
  }
  queue.wait(); // frames under way look at the mask that goes
  roi_mask_ = std::move(roi_mask);
  roi_pixels_ = pixels;
  location_ = location;
  return Restart::none;
}

void RegionOfInterestStage::submit(FrameGroup &group, const Feedback &, Queue &) {
  RegionOfInterest roi{{}, roi_pixels_};
  if (roi_mask_) roi.mask = {roi_mask_.as<const std::uint8_t>(), width_, height_, width_};
  for (FrameContext *f : group.frames) f->roi = roi;
}

} // namespace vigil::gst::cudamog
