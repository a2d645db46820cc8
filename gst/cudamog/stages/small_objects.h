// SPDX-License-Identifier: LGPL-2.1-or-later
// small-objects: puts objects of a few pixels, which the median removed and cleanup.h found, into the mask.
// It comes after all stages that measure the mask, so boxes, motion and the model are the same without it.
#pragma once

#include "gst/cudamog/stages/cleanup.h"

namespace vigil::gst::cudamog {

class SmallObjectsStage final : public Stage {
 public:
  explicit SmallObjectsStage(CleanupStage &cleanup) : cleanup_(cleanup) {}
  const char *name() const override { return "small-objects"; }
  bool is_on(const Settings &s) const override { return CleanupStage::finds_small(s); }
  void submit(FrameGroup &group, const Feedback &, Queue &queue) override {
    for (FrameContext *f : group.frames)
      if (f->small_objects) cleanup_.restore_small(*f, queue);
  }

 private:
  CleanupStage &cleanup_;
};

} // namespace vigil::gst::cudamog
