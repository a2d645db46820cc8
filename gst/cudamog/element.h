// SPDX-License-Identifier: LGPL-2.1-or-later
// The element cudamog; what lasts from its making to its end.
//   element.cpp  its description: caps, properties, signals, the model's file
//   work.*       what it does with frames; model.cpp: the model's life
//   learning.*   how fast it learns
//   settings.*   all that can be set
#pragma once

#include "gst/cudamog/learning.h"
#include "gst/cudamog/settings.h"
#include "gst/observe/motion.h"
#include "gst/transform/element.h"
#include "kernels/mog/state_file.h"

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
  Place &place() override { return place_; }
  std::unique_ptr<Work> make_work(Device &) override;
  void start() override;
  void stop(Work *) override;
  void end_of_stream() override;
  void flushed() override { previous_time = GST_CLOCK_TIME_NONE; }
  GstElement *gst() const { return gst_; }

  std::atomic<std::uint64_t> model_frames = 0; // learnt by the model

  // The streaming thread's own.
  Output last_output{}; // of the frame that came last
  Motion motion;
  GstClockTime previous_time = GST_CLOCK_TIME_NONE; // running time of the frame that came last
  GstClockTime motion_time = 0;                     // running time of the frame that went last

 private:
  GstElement *gst_;
  CudaPlace place_;
  std::optional<mog::SavedModel> saved_; // read at the start, for the first work
};

} // namespace vigil::gst::cudamog
