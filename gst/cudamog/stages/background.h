// SPDX-License-Identifier: LGPL-2.1-or-later
// The picture of the background that frames are compared with: the mean of each pixel's heaviest component
// (mog::Model::background), drawn again every 8 frames, and every frame while the model is younger than 32
// frames. It has room around it, so that it can be seen through a shift (bordered_picture.h).
#pragma once

#include "gst/cudamog/background_model.h"
#include "gst/cudamog/bordered_picture.h"
#include "gst/cudamog/stage.h"
#include "kernels/registration/registration.h"

#include <algorithm>
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
  static constexpr std::uint64_t refresh_every = 8, young_below = 4 * refresh_every; // frames

  bool refresh(Queue &); // false when the model knows nothing yet
  Device &device_;
  BackgroundModel &model_;
  BorderedPicture picture_;
  std::uint64_t drawn_at_ = 0; // the model's frames when picture_ was drawn; 0: never
};

inline bool BackgroundStage::is_on(const Settings &s) const {
  return s.stabilize == StabilizeMode::automatic || s.exposure == ExposureMode::automatic || adapts_rate(s);
}

inline void BackgroundStage::set_format(const Format &format) {
  const cell_grid::Grid &grid = format.grid;
  const int border = registration::most_sway(std::max(grid.width, grid.height));
  picture_ = BorderedPicture(device_, format.pixels, grid.width, grid.height, border);
  drawn_at_ = 0;
}

inline bool BackgroundStage::refresh(Queue &queue) {
  const std::uint64_t learnt = model_.frames();
  if (learnt == 0) return false;
  const std::uint64_t lasts = learnt < young_below ? 1 : refresh_every;
  if (drawn_at_ == 0 || learnt < drawn_at_ || learnt >= drawn_at_ + lasts) {
    model_.mixture().background(picture_.draw(), queue);
    drawn_at_ = learnt;
  }
  return true;
}

inline void BackgroundStage::submit(FrameGroup &group, const Feedback &, Queue &queue) {
  if (!refresh(queue)) return;
  for (FrameContext *f : group.frames) f->background = picture_.image();
}

} // namespace vigil::gst::cudamog
