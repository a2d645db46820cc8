// SPDX-License-Identifier: LGPL-2.1-or-later
#include "tile_branches.h"

namespace vigil::monitor {

TileBranches::TileBranches(GstElement *pipeline, const FrameClock &clock, const FrameDelivery &delivery,
                           std::shared_ptr<TilePlan> plan, std::function<void(View, double, Bytes)> picture,
                           std::function<void(GstPad *)> cover, int height)
    : pipeline_(pipeline), clock_(clock), delivery_(delivery),
      plan_(std::move(plan)), output_{std::move(picture), std::move(cover)}, height_(height) {}

void TileBranches::add(GstElement *last, TileBranch::Use use) {
  branches_.push_back(
      std::make_unique<TileBranch>(pipeline_, clock_, delivery_, plan_, output_, std::move(use)));
  branches_.back()->build(last);
}

void TileBranches::set_height(int height) {
  if (height_.exchange(height) != height) update_sizes();
}

void TileBranches::update_sizes() {
  for (const auto &b : branches_) b->set_height(height_);
}

} // namespace vigil::monitor
