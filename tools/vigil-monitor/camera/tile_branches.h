// SPDX-License-Identifier: LGPL-2.1-or-later
// All ways of a camera's pictures to viewers, and the size of the pictures. Branches are added before the
// pipeline plays; afterwards their number stays.
#pragma once

#include "tile_branch.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace vigil::monitor {

class TileBranches {
 public:
  TileBranches(GstElement *pipeline, const FrameClock &, const FrameDelivery &, std::shared_ptr<TilePlan>,
               std::function<void(View, double time, Bytes jpeg)> picture,
               std::function<void(GstPad *)> cover, int height);

  void add(GstElement *last, TileBranch::Use);
  // On any thread:
  void set_height(int);
  void update_sizes(); // of the pictures, as their sources have them now
  std::uint64_t tiles() const { return output_.tiles; }

 private:
  GstElement *const pipeline_;
  const FrameClock &clock_;
  const FrameDelivery &delivery_;
  const std::shared_ptr<TilePlan> plan_;
  TileOutput output_;
  std::vector<std::unique_ptr<TileBranch>> branches_;
  std::atomic<int> height_;
};

inline TileBranches::TileBranches(GstElement *pipeline, const FrameClock &clock,
                                  const FrameDelivery &delivery, std::shared_ptr<TilePlan> plan,
                                  std::function<void(View, double, Bytes)> picture,
                                  std::function<void(GstPad *)> cover, int height)
    : pipeline_(pipeline), clock_(clock), delivery_(delivery),
      plan_(std::move(plan)), output_{std::move(picture), std::move(cover)}, height_(height) {}

inline void TileBranches::add(GstElement *last, TileBranch::Use use) {
  branches_.push_back(
      std::make_unique<TileBranch>(pipeline_, clock_, delivery_, plan_, output_, std::move(use)));
  branches_.back()->build(last);
}

inline void TileBranches::set_height(int height) {
  if (height_.exchange(height) != height) update_sizes();
}

inline void TileBranches::update_sizes() {
  for (const auto &b : branches_) b->set_height(height_);
}

} // namespace vigil::monitor
