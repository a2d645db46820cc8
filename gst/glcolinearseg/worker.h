// SPDX-License-Identifier: LGPL-2.1-or-later
// The work of glcolinearseg in one OpenGL context, without GstElement. Made, used and destroyed on that context's thread. What others
// in the context did wrong before is not taken for its own failure.
#pragma once

#include "gst/base/results.h"
#include "gst/glcolinearseg/settings.h"
#include "kernels/colinearseg/gl_results.h"

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

namespace vigil::gst::glcolinearseg {

// A picture in host memory, RGBA without padding.
struct Picture {
  int width = 0, height = 0;
  std::vector<std::uint8_t> rgba;
};

struct Stats {
  std::uint64_t frames = 0, timed_frames = 0;
  double gpu_ms = 0, gpu_last_ms = 0; // of those that were timed
  std::uint64_t bytes_results = 0;    // read back from the GPU
  int learnt = 0;                     // frames of the background
  bool learning = false;
  colinearseg::Noise noise;
  colinearseg::Constants constants{}; // of the last frame
  std::string shaders, device;
};

struct Found {
  double changed_fraction = 0; // the reported blobs' share of the pixels
  std::vector<Box> boxes;
};

class Worker {
 public:
  Worker(const GlLoader &, int width, int height, const Settings &);
  ~Worker();
  int width() const { return segmenter_->config().width; }
  int height() const { return segmenter_->config().height; }

  void learn(int frames);
  // Throws Error::bad_data when it is of another size.
  void set_background(const Picture &, int learn_frames);
  // Segments `frame` and draws into `target` (0: nothing is drawn); both are textures of this context.
  Found process(GLuint frame, GLuint target, const Settings &);
  Stats stats() const;

  colinearseg::State save() const { return segmenter_->save(); }
  void load(const colinearseg::State &);
  // The GPU was reset: nothing but take_kept() is left.
  bool lost() const { return device_->lost(); }
  // A copy in host memory of a background that does not adapt, made when its noise had been measured; its mask is empty.
  std::optional<colinearseg::State> take_kept() { return std::move(kept_); }

 private:
  void collect_times();
  void keep();
  std::unique_ptr<GlDevice> device_;
  std::unique_ptr<Queue> queue_;
  std::unique_ptr<colinearseg::GlSegmenter> segmenter_;
  std::unique_ptr<colinearseg::GlResults> results_;
  compose::Style style_;
  std::deque<std::unique_ptr<Timer>> running_; // oldest first
  std::vector<std::unique_ptr<Timer>> idle_;
  std::optional<colinearseg::State> kept_;
  Stats stats_;
};

} // namespace vigil::gst::glcolinearseg
