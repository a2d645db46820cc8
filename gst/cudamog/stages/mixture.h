// SPDX-License-Identifier: LGPL-2.1-or-later
// The mixture of Gaussians at every pixel: classifies the frame, learns it and writes the mask
// (kernels/mog/mog.h has the papers and equations). Learning rates are shares of the frame in the model,
// 0..1.
//
// Feedback: the adaptation map makes the model learn at another rate in some cells of the grid:
//   usual        the frame's rate
//   foreground   rate * foreground-rate: a blob is there
//   undecided    rate * max(foreground-rate, 0.3)
//   at_once      clamp(0.99 (1 - background-ratio), 0.02, 0.1), or the frame's rate where that is more:
//                what is there becomes background
// Why at_once stays below 1 - background-ratio: a sample that no component owns makes one of its own, whose
// weight is the learning rate; the others keep 1 - rate. mog.h looks for shadows among the components until
// their weights are more than background-ratio. With a rate of 1 - background-ratio or more, it would reach
// the component that the sample has just made, and each change would be its own shadow. It still reaches it
// where one of K components gave way (see light_jump.h).
#pragma once

#include "gst/cudamog/background_model.h"
#include "gst/cudamog/side_stream.h"
#include "gst/cudamog/stage.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace vigil::gst::cudamog {

class MixtureStage final : public Stage {
 public:
  MixtureStage(Device &device, BackgroundModel &model) : device_(device), model_(model), uploads_(device) {}
  const char *name() const override { return "mixture"; }
  void set_format(const Format &format) override { grid_ = format.grid; }
  std::unique_ptr<StageData> make_data() override;
  Restart configure(const Settings &, Queue &) override;
  void submit(FrameGroup &, const Feedback &, Queue &) override;
  void pass_by(FrameContext &, Queue &) override; // an empty mask

 private:
  struct Data;
  Plane<std::uint8_t> mask_of(FrameContext &) const;
  mog::RateMap upload_rates(FrameGroup &, const Feedback &, Queue &);
  Device &device_;
  BackgroundModel &model_;
  SideStream uploads_;
  cell_grid::Grid grid_;
  std::vector<mog::Step> steps_; // of the group that is submitted; keeps its memory
};

} // namespace vigil::gst::cudamog
