// SPDX-License-Identifier: LGPL-2.1-or-later
// The element gpufisher; what lasts from its making to its end.
//   element.cpp  its description, the model that it uses, events and their messages
//   work.*       what it does with frames
//   events.*     from scores to the begin and end of events
//   meta.*       what goes on the frames
//   settings.*   all that can be set
#pragma once

#include "gst/gpufisher/events.h"
#include "gst/gpufisher/settings.h"
#include "gst/transform/element.h"
#include "kernels/fisher/model_file.h"

#include <atomic>

namespace vigil::gst::gpufisher {

class FisherElement final : public ElementWith<Settings> {
 public:
  explicit FisherElement(GstElement *);

  bool set_property(guint id, const GValue *) override;
  void add_stats(GstStructure *) const override;
  PipelineDepth flow() const override;
  bool passes_buffers() const override { return true; }
  bool learns() const override { return true; }
  DeviceSelector &device_selector() override { return selector_; }
  std::unique_ptr<FrameProcessor> make_processor(Device &) override;
  void start() override;
  void before_frame() override;
  void end_of_stream() override { end_events(); }
  void flushed() override;

  // A scored frame goes out: events, their messages, and the frame's metadata. For the streaming thread,
  // without a lock.
  void take_scores(BufferPtr &, const FrameTime &, std::span<const float> scores, GBytes *vector);

  std::atomic<std::uint64_t> scored = 0; // frames that came out
  std::atomic<int> descriptors = 0;      // of a frame
  std::uint64_t frame = 0;               // since the start or the last flush; the streaming thread's own

 private:
  void begin_events(std::shared_ptr<const fisher::Model>);
  void end_events();
  void post_changes(const FrameTime &, const Tuning &);

  GstElement *gst_;
  CudaSelector selector_;
  std::atomic<unsigned> model_wanted_ = 0; // counts how often model-location was set

  // The streaming thread's own.
  unsigned model_taken_ =
      0; // the value of model_wanted_ that the model, or the last attempt at one, belongs to
  std::shared_ptr<const fisher::Model> model_; // of the events
  Events events_{0};
  FrameTime last_time_; // of the scored frame that went last
};

} // namespace vigil::gst::gpufisher
