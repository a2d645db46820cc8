// SPDX-License-Identifier: LGPL-2.1-or-later
// The element glcolinearseg; what lasts from its making to its end.
//   element.cpp       its description: caps, properties, signals
//   work.*            what it does with frames, wherever it works
//   device_processor.cpp   in the memory of a CUDA device or of the CPU
//   gl_processor.cpp       in an OpenGL context
//   image.*           background images from files and samples
//   settings.*        all that can be set
#pragma once

#include "gst/glcolinearseg/image.h"
#include "gst/glcolinearseg/settings.h"
#include "gst/metadata/motion.h"
#include "gst/metadata/results.h"
#include "gst/transform/element.h"
#include "kernels/colinearseg/colinearseg.h"

#include <atomic>
#include <mutex>
#include <optional>
#include <string>

// The log category of the element: GST_DEBUG=glcolinearseg:5.
GST_DEBUG_CATEGORY_EXTERN(gl_colinear_seg_debug);
#undef GST_CAT_DEFAULT
#define GST_CAT_DEFAULT gl_colinear_seg_debug

namespace vigil::gst::glcolinearseg {

// What is to be done about the background before a frame.
struct Start {
  bool learn = false;
  std::optional<Picture> background;
};

// What `stats` tells besides what all elements do; after the last frame.
struct Reported {
  colinearseg::Progress progress;
  colinearseg::Constants constants{};
  std::string shaders;
  std::optional<double> gpu_ms, gpu_last_ms; // where the work has a clock of its own
};

class SegmentElement final : public ElementWith<Settings> {
 public:
  explicit SegmentElement(GstElement *);

  bool set_property(guint id, const GValue *) override;
  void add_stats(GstStructure *) const override;
  PipelineDepth flow() const override;
  bool passes_buffers() const override;
  bool learns() const override { return true; }
  DeviceSelector &device_selector() override { return selector_; }
  std::unique_ptr<FrameProcessor> make_processor(Device &) override;
  void start() override;
  void stop(FrameProcessor *) override;
  void before_frame() override;
  void end_of_stream() override;
  GstElement *gst() const { return gst_; }

  // Signals; any thread. set_background() throws Error::bad_data when the picture does not fit the frames.
  void learn_background();
  void set_background(Picture);

  // For the work. `changes`: what comes out is in other memory or in another format than what comes in.
  void take_format(int width, int height, bool changes);
  Start take_start() { return std::exchange(start_, {}); }
  void report(const Reported &);

  // The streaming thread's own.
  Motion motion;
  FrameTime last_time;          // of the frame that went last
  GstClockTime motion_time = 0; // its running time, or a guess where it has none

 private:
  struct Request {
    bool learn = false;            // learn-background was emitted
    std::optional<Picture> given;  // by set-background
    bool location_changed = false; // background-location is to be read
  };
  bool is_fresh();

  GstElement *gst_;
  GlSelector selector_;
  std::atomic<bool> changes_frames_ = false;

  mutable std::mutex mutex_; // held for moments, by any thread
  Request request_;
  int width_ = 0, height_ = 0; // of the frames; 0: not known
  Reported reported_;

  // The streaming thread's own.
  Start start_;                               // of the next frame
  std::optional<colinearseg::State> rescued_; // from a GPU that was reset, for the next start
};

} // namespace vigil::gst::glcolinearseg
