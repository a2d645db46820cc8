// SPDX-License-Identifier: LGPL-2.1-or-later
// The picture of the background that frames are compared with: the mean of each pixel's heaviest component
// (mog::Model::background), drawn again every 8 frames, and every frame while the model is younger than 32
// frames. It has room around it, so that it can be seen through a shift (bordered_picture.h).
#pragma once

#include "gst/cudamog/background_model.h"
#include "gst/cudamog/bordered_picture.h"
#include "gst/cudamog/stage.h"

#include <cstdint>

namespace vigil::gst::cudamog {

class BackgroundStage final : public Stage {
 public:
  BackgroundStage(Device &device, BackgroundModel &model) : device_(device), model_(model) {}
  const char *name() const override { return "background"; }
  bool is_on(const Settings &) const override;
  void set_format(const Format &) override;
  void submit(FrameGroup &, const Feedback &, Queue &) override;
  void start_over(Restart) override { drawn_at_ = 0; }
  BorderedPicture &picture() { return picture_; }

 private:
  bool refresh(Queue &);
  Device &device_;
  BackgroundModel &model_;
  BorderedPicture picture_;
  std::uint64_t drawn_at_ = 0; // the model's frames when picture_ was drawn; 0: never
};

} // namespace vigil::gst::cudamog
