// SPDX-License-Identifier: LGPL-2.1-or-later
// mask-location: the pixels that count, from a PNG image of the frames' size. A pixel counts unless it is
// black there. Without an image all of them count. Shares of the picture (motion-threshold, light-jump) are
// shares of these pixels; the stage cleanup clears the mask elsewhere.
#pragma once

#include "gst/cudamog/stage.h"

#include <cstdint>
#include <optional>
#include <string>

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

} // namespace vigil::gst::cudamog
