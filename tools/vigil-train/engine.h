// SPDX-License-Identifier: LGPL-2.1-or-later
// Descriptors and Fisher vectors of frames of any sizes, on the GPU where there is one.
#pragma once

#include "frame_copy.h"
#include "kernels/fisher/model_file.h"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace vigil::train {

// "auto" (CUDA where it can be had, otherwise the CPU), "cuda" or "cpu". Throws Error::bad_setting for
// another word, no_device when CUDA is asked for and cannot be had.
std::unique_ptr<Device> open_backend(const std::string &word, int threads);

class Engine {
 public:
  // Without a codebook only descriptors can be had.
  Engine(Device &, const fisher::SiftParams &);
  Engine(Device &, const fisher::Model &);
  // Of a frame in the host's memory. Views that stay until the next call. Throw Error::bad_data for a frame
  // that is too small.
  struct Descriptors {
    std::span<const float> values, positions; // count x 128, count x 2
  };
  Descriptors descriptors(const ConstImage &);
  std::span<const float> vector(const ConstImage &);

 private:
  void prepare(const ConstImage &);
  Device &device_;
  std::unique_ptr<Queue> queue_;
  FrameCopy copy_;
  fisher::SiftParams sift_;
  std::optional<fisher::Codebook> codebook_;
  std::unique_ptr<fisher::Extractor> extractor_;
  std::unique_ptr<fisher::Encoder> encoder_;
  DeviceBuffer on_device_;
  std::vector<float> values_, positions_, vector_;
};

} // namespace vigil::train
