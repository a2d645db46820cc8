// SPDX-License-Identifier: LGPL-2.1-or-later
// Descriptors and Fisher vectors of frames of any sizes, on the GPU where there is one.
#pragma once

#include "frame_copy.h"
#include "kernels/fisher/scorer.h"

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace vigil::train {

// "auto" (CUDA where it can be had, otherwise the CPU), "cuda" or "cpu". Throws Error::bad_setting for
// another word, no_device when CUDA is asked for and cannot be had.
std::unique_ptr<Device> open_backend(const std::string &word, int threads);

// Descriptors of frames; with a lag those of their difference pictures (kernels/fisher/motion.h).
class Engine {
 public:
  Engine(Device &, const fisher::SiftParams &, int lag = 0);
  // Of a frame in the host's memory. Views that stay until the next call. Throw Error::bad_data for a frame
  // that is too small.
  struct Descriptors {
    std::span<const float> values, positions; // count x 128, count x 2
  };
  // `number`: of the frame in its file, rising.
  Descriptors descriptors(const ConstImage &, std::uint64_t number = 0);
  // A frame that is not used itself, but may be the earlier one of a difference.
  void remember(const ConstImage &, std::uint64_t number);
  int lag() const { return lag_; }
  void begin_file(); // frames before are forgotten

 private:
  void prepare(const ConstImage &);
  Device &device_;
  std::unique_ptr<Queue> queue_;
  FrameCopy copy_;
  fisher::SiftParams sift_;
  int lag_;
  std::unique_ptr<fisher::Extractor> extractor_;
  std::unique_ptr<fisher::Difference> difference_;
  DeviceBuffer on_device_;
  std::vector<float> values_, positions_;
};

// Fisher vectors of frames, by a model.
class VectorEngine {
 public:
  VectorEngine(Device &, const fisher::Model &);
  // As above.
  std::span<const float> vector(const ConstImage &, std::uint64_t number);
  // Does nothing for a frame that is not needed when each `every`-th frame, from number 0 on, is used.
  void remember(const ConstImage &, std::uint64_t number, int every);
  void begin_file();

 private:
  void prepare(const ConstImage &);
  Device &device_;
  std::unique_ptr<Queue> queue_;
  FrameCopy copy_;
  const fisher::Model &model_;
  std::unique_ptr<fisher::Scorer> scorer_;
  DeviceBuffer on_device_;
  std::vector<float> parts_, vector_;
};

} // namespace vigil::train
