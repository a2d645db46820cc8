// SPDX-License-Identifier: LGPL-2.1-or-later
// All that cudamog does with frames: the list of its stages, run twice for each frame (stage.h), and the
// feedback between frames. Knows no GStreamer; processor.h brings the frames.
#pragma once

#include "gst/cudamog/background_model.h"
#include "gst/cudamog/stage.h"
#include "gst/cudamog/stage_times.h"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace vigil::gst::cudamog {

// The stages of the product, in their order.
std::vector<std::unique_ptr<Stage>> make_stages(Device &, BackgroundModel &,
                                                tamper::TamperDetector &tamper_detector);

class StageList {
 public:
  // The model is the one that the stages were made with. At most 32 stages.
  StageList(Device &, BackgroundModel &, std::vector<std::unique_ptr<Stage>>);

  // Frames of this format come from now on; none is under way.
  void set_format(const Format &);
  // A frame of that format, with the memory that it needs in all stages.
  std::unique_ptr<FrameContext> make_frame() const;

  // The frames' settings, seconds, input and output are set. On a device the host goes on at once. These
  // functions may be called on any thread; each goes to the device's own thread, if it has one, once.
  void submit(std::span<FrameContext *const>, Queue &);
  // After submit(), for each frame: submits the copies of results to the host.
  void fetch(FrameContext &, Queue &);
  // In the order of the frames, when the device has done all of that.
  void finish(FrameContext &, Queue &);

  // Instead of these three, for a corrupted frame (Stage::pass_by).
  void pass_by(FrameContext &, Queue &);

  // What was found before holds no longer. Frames that are under way are finished all the same.
  void start_over(Restart);

  // Of the frames whose settings asked for times, one entry a stage.
  std::span<const StageTime> times() const { return times_; }
  std::uint64_t bytes() const { return bytes_; } // that were copied between host and device besides pictures

 private:
  void configure(const FrameContext &, Queue &);
  void submit_stages(FrameGroup &, Queue &);

  Device &device_;
  BackgroundModel &model_;
  std::vector<std::unique_ptr<Stage>> stages_;
  Feedback feedback_;
  Format format_;
  unsigned configured_ = 0;    // settings_number of the settings that the stages know; 0: none
  std::uint32_t on_ = 0;       // the stages of these settings, a bit each
  std::uint32_t finished_ = 0; // those of the frame that finished last
  std::vector<StageTime> times_;
  std::uint64_t bytes_ = 0;
};

} // namespace vigil::gst::cudamog
