// SPDX-License-Identifier: LGPL-2.1-or-later
// How fast the model learns from each frame: learning-time on top of the mixture's own learning rate, and
// relearning after a light was switched or the camera was moved.
//
//   rate   a frame's share in the model, 0..1; 0: the model is frozen
//   own    mog::learning_rate() of the frame's number
//   with learning-time T > 0, for a frame that lasts t seconds (at most 1):
//          max(1 - exp(-t / T), 1 / (2 frame number))
//   while relearning, in the k-th frame (k = 1..30): max(that, 1 / k), so the first takes the place of all
//          that was known
//
// Feedback: relearn, or a new view, begins the 30 frames; what was recalled ends them, since the model
// knows it. Source: this project.
#pragma once

#include "gst/cudamog/background_model.h"
#include "gst/cudamog/stage.h"

#include <cstdint>

namespace vigil::gst::cudamog {

// The learning rate that frames of this length come down to.
double steady_rate(const mog::Params &, const Tuning &, double seconds);

class LearningRateControl {
 public:
  // The learning rate of the next frame. `frame_number`: 1 for a model's first. `seconds`: that the frame
  // lasts.
  double next_rate(const mog::Params &, const Tuning &, std::uint64_t frame_number, double seconds);
  bool relearning() const { return relearn_ > 0; }
  // The next frames learn as a new model's would.
  void relearn() { relearn_ = Feedback::relearn_frames; }
  // No frame has to be learnt fast.
  void stop_relearning() { relearn_ = 0; }

 private:
  int relearn_ = 0; // frames to go that learn fast
};

class LearningRateStage final : public Stage {
 public:
  explicit LearningRateStage(const BackgroundModel &model) : model_(model) {}
  const char *name() const override { return "learning-rate"; }
  void submit(FrameGroup &, const Feedback &, Queue &) override;
  void start_over(Restart) override;

 private:
  const BackgroundModel &model_;
  LearningRateControl control_;
};

} // namespace vigil::gst::cudamog
