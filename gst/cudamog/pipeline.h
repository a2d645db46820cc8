// SPDX-License-Identifier: LGPL-2.1-or-later
// The way of a frame through cudamog:
//
//   submit()  the picture is made readable on the device (queue `upload`), and waits until its group is full
//   launch()  model, clean-up, counting, picture to put out (queue `compute`); the counts, and pictures that go to
//             system memory, are fetched behind that (queue `download`)
//   next()    waits for the oldest frame under way; finds blobs in its counts; draws an overlay, which needs the
//             boxes
//
// A frame that comes out is finished: nothing is under way with its memory, and the results beside it are its own.
// The device works on up to async-depth further frames meanwhile. What results do to later frames (foreground-rate,
// light-jump) they do to those that are launched after the frame came out.
//
// Not for several threads at once: the element holds a lock around each call.
#pragma once

#include "common/device.h"
#include "common/error.h"
#include "gst/base/buffer_ptr.h"
#include "gst/base/frames.h"
#include "gst/base/results.h"
#include "gst/cudamog/learning.h"
#include "gst/cudamog/settings.h"
#include "kernels/activity/activity.h"
#include "kernels/compose/compose.h"
#include "kernels/mog/state_file.h"

#include <deque>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace vigil::gst::cudamog {

// A frame on its way out, with what was found in it.
struct Finished {
  BufferPtr buffer;
  FrameTime time;
  double seconds = 0;
  double changed_fraction =
      0; // the reported blobs' share of the watched pixels; all foreground's when light jumped
  Learning::Light light = Learning::Light::steady;
  std::vector<Box> boxes;
  MotionSettings motion;
};

struct Stats {
  std::uint64_t frames = 0;       // that came out
  double kernel_ms = 0;           // of all of them, by the device's clock
  double kernel_last_ms = 0;      // of the last one
  ByteCounts pictures;            // copied between host and device
  std::uint64_t result_bytes = 0; // counts and rate maps
  std::uint64_t model_frames = 0; // learnt by the model
};

class Pipeline {
 public:
  // The device must outlive it. `stats`: of a pipeline that this one takes the place of.
  explicit Pipeline(Device &, const Stats &stats = {});
  ~Pipeline();

  // What submit() and next() will see from now on. No frame may be held. A model of this size and these channels
  // goes on.
  void set_format(const FrameKind &in, const FrameKind &out);

  // Takes a reference to a frame, and to the buffer for what comes out (null for passthrough), which must have no other
  // owner than the caller. `seconds`: how long the frame lasts.
  void submit(GstBuffer *in, GstBuffer *out, const FrameTime &, double seconds, const Settings &, Output);
  // The oldest frame, finished, when more than the allowed number is under way; with `drain` any frame that is
  // held.
  std::optional<Finished> next(bool drain);
  void discard() noexcept; // all frames that are held

  // The model. Those that are not launched yet do not belong to it. load() throws Error::bad_data and changes
  // nothing when the model does not fit; before the first frame it waits for that one, see take_refusal().
  bool has_model() const { return model_ != nullptr; }
  void reset();
  mog::SavedModel save();
  void load(mog::SavedModel);
  // Why a model that waited for the first frame did not fit it and was dropped, once.
  std::optional<Error> take_refusal() { return std::exchange(refused_, {}); }
  Stats stats() const;

 private:
  struct Frame;
  Frame &take_frame();
  void launch();
  void prepare_model();
  void prepare_watch(const std::string &location);
  mog::RateMap upload_rates(Frame &);
  void analyse(Frame &);
  void fetch(Frame &);
  void find_blobs(Frame &, Finished &);
  void draw(Frame &, const Finished &);
  mog::Config wanted_config() const;

  Device &device_;
  std::unique_ptr<Queue> upload_, compute_, download_;
  std::unique_ptr<Event> computed_;

  FrameKind in_, out_;
  activity::Grid grid_;
  compose::Style style_;
  std::unique_ptr<cleanup::Cleanup> cleanup_;
  std::unique_ptr<activity::Counter> counter_;
  std::unique_ptr<compose::Composer> composer_;

  std::unique_ptr<mog::Model> model_;
  mog::Samples samples_{};
  std::optional<mog::SavedModel> to_load_; // before there is a model
  std::optional<Error> refused_;
  Learning learning_;

  std::optional<std::string> watch_location_; // of what is in watch_
  DeviceBuffer watch_;                        // ignore mask; none: all pixels are watched
  std::uint64_t watched_pixels_ = 0;

  std::vector<std::uint8_t> blob_cells_; // of the frame that came out last
  DeviceBuffer rate_map_;

  Settings group_;                // of the frames that wait for their group
  std::deque<Frame *> pending_;   // wait for their group
  std::deque<Frame *> in_flight_; // launched
  std::vector<Frame *> free_;
  std::vector<std::unique_ptr<Frame>> frames_;
  std::vector<mog::Step> steps_;
  Stats stats_;
};

} // namespace vigil::gst::cudamog
