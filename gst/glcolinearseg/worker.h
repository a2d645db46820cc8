// SPDX-License-Identifier: LGPL-2.1-or-later
// The segmentation of an element's frames, without GstElement; where it is done, GlWorker and CudaWorker know.
#pragma once

#include "common/device.h"
#include "gst/glcolinearseg/settings.h"
#include "gst/observe/overlay.h"
#include "kernels/activity/activity.h"

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace vigil::gst::glcolinearseg {

// A picture in host memory, RGBA without padding.
struct Picture {
  int width = 0, height = 0;
  std::vector<std::uint8_t> rgba;
  ConstImage image() const {
    return {PixelFormat::rgba, width, height, {rgba.data()}, {4 * std::ptrdiff_t(width)}};
  }
};

struct Stats {
  std::uint64_t frames = 0, timed_frames = 0;
  double gpu_ms = 0, gpu_last_ms = 0; // of those that were timed
  std::uint64_t bytes_results = 0;    // read back from the GPU
  colinearseg::Progress progress;
  colinearseg::Constants constants{}; // of the last frame
  std::string backend, shaders, device;
};

struct Found {
  double changed_fraction = 0; // the reported blobs' share of the pixels
  std::vector<Box> boxes;
};

class Worker {
 public:
  virtual ~Worker() = default;
  virtual int width() const = 0;
  virtual int height() const = 0;

  virtual void learn(int frames) = 0;
  // Throws Error::bad_data when it is of another size.
  virtual void set_background(const Picture &, int learn_frames) = 0;
  virtual Stats stats() const = 0;

  virtual colinearseg::State save() const = 0;
  virtual void load(const colinearseg::State &) = 0;
  // The GPU was reset: nothing but take_kept() is left.
  virtual bool lost() const { return false; }
  // A copy in host memory of a background that does not adapt, made when its noise had been measured; its mask is empty.
  virtual std::optional<colinearseg::State> take_kept() { return {}; }

 protected:
  void check_size(const Picture &) const; // of a background
};

// How long the GPU takes for frames, without waiting for it: those that find no timer free go untimed.
class FrameTimes {
 public:
  explicit FrameTimes(Device *); // null: there is no clock
  void start(Queue &, Stats &);  // adds to the stats what has been measured by now
  void stop(Queue &);

 private:
  std::deque<std::unique_ptr<Timer>> running_; // oldest first
  std::vector<std::unique_ptr<Timer>> idle_;
};

colinearseg::Show show_for(Output);
Found found_in(std::span<const activity::Cell>, const activity::Grid &, const MotionSettings &);

} // namespace vigil::gst::glcolinearseg
