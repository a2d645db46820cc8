// SPDX-License-Identifier: LGPL-2.1-or-later
// median, open, close and mask-location: removes noise from the mask and clears it outside the region of
// interest. Sizes in pixels; definitions: kernels/cleanup/cleanup.h (Soille, Morphological Image Analysis,
// chapters 3 and 4).
#pragma once

#include "gst/cudamog/stage.h"
#include "kernels/cleanup/cleanup.h"

#include <memory>

namespace vigil::gst::cudamog {

class CleanupStage final : public Stage {
 public:
  explicit CleanupStage(Device &device) : device_(device) {}
  const char *name() const override { return "cleanup"; }
  bool is_on(const Settings &s) const override {
    return !s.mask_location.empty() || s.cleanup != cleanup::Params{.median = 0, .open = 0, .close = 0};
  }
  void set_format(const Format &format) override {
    if (cleanup_ && format.grid == grid_) return;
    grid_ = format.grid;
    cleanup_ = cleanup::make(device_, grid_.width, grid_.height);
  }
  void submit(FrameGroup &group, const Feedback &, Queue &queue) override {
    for (FrameContext *f : group.frames) cleanup_->apply(f->mask, f->roi.mask, f->settings.cleanup, queue);
  }

 private:
  Device &device_;
  cell_grid::Grid grid_;
  std::unique_ptr<cleanup::Cleanup> cleanup_;
};

} // namespace vigil::gst::cudamog
