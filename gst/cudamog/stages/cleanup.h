// SPDX-License-Identifier: LGPL-2.1-or-later
// median, open, close and mask-location: removes noise from the mask and clears it outside the region of
// interest. small-objects: finds objects of a few pixels, which the median removes, where such are rare;
// small_objects.h puts them back, where somebody is to see the mask.
// Sizes in pixels; definitions: kernels/cleanup/cleanup.h (Soille, Morphological Image Analysis, chapters 3
// and 4) and kernels/cleanup/small_object_gate.h.
//
// Feedback: the cells where small objects are kept, in the mask alone.
#pragma once

#include "gst/cudamog/side_stream.h"
#include "gst/cudamog/stage.h"
#include "kernels/cleanup/cleanup.h"
#include "kernels/cleanup/small_object_gate.h"

#include <memory>

namespace vigil::gst::cudamog {

class CleanupStage final : public Stage {
 public:
  explicit CleanupStage(Device &device) : device_(device), uploads_(device) {}
  const char *name() const override { return "cleanup"; }
  bool is_on(const Settings &s) const override {
    return !s.mask_location.empty() || s.cleanup != cleanup::Params{.median = 0, .open = 0, .close = 0};
  }
  void set_format(const Format &) override;
  std::unique_ptr<StageData> make_data() override;
  void submit(FrameGroup &, const Feedback &, Queue &) override;
  void fetch(FrameContext &, Queue &) override;
  void finish(FrameContext &, Feedback &, Queue &) override;
  void turned_off(FrameContext &, Feedback &) override;
  void start_over(Restart) override { gate_.reset(grid_); }

  static bool finds_small(const Settings &s) {
    constexpr int smallest = 5; // a window of 3 keeps small objects by itself
    return s.tuning.small_objects && s.cleanup.median >= smallest - 1 && shows_mask(s);
  }
  // The small objects of a frame that was submitted, into its mask.
  void restore_small(FrameContext &f, Queue &queue) {
    cleanup_->restore(f.mask, f.roi.mask, f.small_objects, queue);
  }

 private:
  struct Data;
  cleanup::SmallObjects small_objects(FrameGroup &, FrameContext &, const Feedback &, Queue &);

  Device &device_;
  SideStream uploads_;
  cell_grid::Grid grid_;
  std::unique_ptr<cleanup::Cleanup> cleanup_;
  cleanup::SmallObjectGate gate_;
  bool found_ = false; // by the frame that finished last
};

} // namespace vigil::gst::cudamog
