// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/cudamog/stages/background.h"

#include "kernels/registration/registration.h"

#include <algorithm>

namespace vigil::gst::cudamog {
namespace {

constexpr std::uint64_t refresh_every = 8, young_below = 4 * refresh_every; // frames

} // namespace

bool BackgroundStage::is_on(const Settings &s) const {
  return s.stabilize == StabilizeMode::automatic || s.exposure == ExposureMode::automatic || adapts_rate(s);
}

void BackgroundStage::set_format(const Format &format) {
  const cell_grid::Grid &grid = format.grid;
  const int border = registration::most_sway(std::max(grid.width, grid.height));
  picture_ = BorderedPicture(device_, format.pixels, grid.width, grid.height, border);
  drawn_at_ = 0;
}

// False when the model knows nothing yet.
bool BackgroundStage::refresh(Queue &queue) {
  const std::uint64_t learnt = model_.frames();
  if (learnt == 0) return false;
  const std::uint64_t lasts = learnt < young_below ? 1 : refresh_every;
  if (drawn_at_ == 0 || learnt < drawn_at_ || learnt >= drawn_at_ + lasts) {
    model_.mixture().background(picture_.draw(), queue);
    drawn_at_ = learnt;
  }
  return true;
}

void BackgroundStage::submit(FrameGroup &group, const Feedback &, Queue &queue) {
  if (!refresh(queue)) return;
  for (FrameContext *f : group.frames) f->background = picture_.image();
}

} // namespace vigil::gst::cudamog
