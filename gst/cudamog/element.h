// SPDX-License-Identifier: LGPL-2.1-or-later
// The element cudamog; what lasts from its making to its end.
//   element.cpp  its description: caps, properties, signals
//   camera.*     what is said of a camera that is covered, blurred or moved
//   scene.*      exposure, ghosts, who waits: what stands before and behind the model
//   lights.*     the background in other lights
//   work.*       what it does with frames; model.cpp: the model's life
//   model_file.* the file that model-location names
//   learning.*   how fast it learns
//   settings.*   all that can be set
#pragma once

#include "gst/cudamog/learning.h"
#include "gst/cudamog/model_file.h"
#include "gst/cudamog/settings.h"
#include "gst/observe/motion.h"
#include "gst/observe/results.h"
#include "gst/transform/element.h"
#include "kernels/mog/state_file.h"
#include "kernels/view/watch.h"

#include <atomic>
#include <optional>

namespace vigil::gst::cudamog {

class MogElement final : public ElementWith<Settings> {
 public:
  explicit MogElement(GstElement *);

  bool set_property(guint id, const GValue *) override;
  void add_stats(GstStructure *) const override;
  FlowDepth flow() const override;
  bool passes_buffers() const override;
  bool learns() const override { return true; }
  Place &place() override { return place_; }
  std::unique_ptr<Work> make_work(Device &) override;
  void start() override;
  void after_frame() override;
  void stop(Work *) override;
  void stopped() override;
  void end_of_stream() override;
  GstElement *gst() const { return gst_; }

  std::atomic<std::uint64_t> model_frames = 0; // learnt by the model
  // Of the frame that came out last: the camera's exposure against the model (first channel), and the cells
  // of the grid that are taken for ghosts and for objects that wait.
  std::atomic<float> exposure_gain = 1.f, exposure_offset = 0.f;
  std::atomic<int> shift_x = 0, shift_y = 0; // of that frame against the model, pixels
  std::atomic<int> ghost_cells = 0, object_cells = 0;

  view::Watch camera; // under the work lock

  // The streaming thread's own.
  Output last_output{}; // of the frame that came last
  bool told_no_masks = false;
  Motion motion;
  FrameTime last_time;          // of the frame that went last
  GstClockTime motion_time = 0; // its running time, or a guess where it has none

 private:
  void look_after_model(bool at_the_end);

  GstElement *gst_;
  CudaPlace place_;
  ModelFile model_file_;
  std::optional<mog::SavedModel> to_load_; // read at the start, for the first work
  std::optional<mog::SavedModel> to_save_; // taken at the stop
};

} // namespace vigil::gst::cudamog
