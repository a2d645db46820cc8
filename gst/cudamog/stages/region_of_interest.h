// SPDX-License-Identifier: LGPL-2.1-or-later
// mask-location: the pixels that count, from a PNG image of the frames' size. A pixel counts unless it is
// black there. Without an image all of them count. Shares of the picture (motion-threshold, light-jump) are
// shares of these pixels; the stage cleanup clears the mask elsewhere.
#pragma once

#include "gst/cudamog/stage.h"
#include "gst/metadata/png.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace vigil::gst::cudamog {

class RegionOfInterestStage final : public Stage {
 public:
  explicit RegionOfInterestStage(Device &device) : device_(device) {}
  const char *name() const override { return "roi"; }
  void set_format(const Format &) override;
  Restart configure(const Settings &, Queue &) override;
  void submit(FrameGroup &, const Feedback &, Queue &) override;

 private:
  Device &device_;
  int width_ = 0, height_ = 0;          // pixels
  std::optional<std::string> location_; // of what is in roi_mask_
  DeviceBuffer roi_mask_;               // none: all pixels count
  std::uint64_t roi_pixels_ = 0;
};

inline void RegionOfInterestStage::set_format(const Format &format) {
  const cell_grid::Grid &grid = format.grid;
  if (grid.width == width_ && grid.height == height_) return;
  width_ = grid.width;
  height_ = grid.height;
  location_.reset();
}

inline Restart RegionOfInterestStage::configure(const Settings &settings, Queue &queue) {
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

inline void RegionOfInterestStage::submit(FrameGroup &group, const Feedback &, Queue &) {
  RegionOfInterest roi{{}, roi_pixels_};
  if (roi_mask_) roi.mask = {roi_mask_.as<const std::uint8_t>(), width_, height_, width_};
  for (FrameContext *f : group.frames) f->roi = roi;
}

} // namespace vigil::gst::cudamog
