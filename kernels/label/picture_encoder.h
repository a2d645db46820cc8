// SPDX-License-Identifier: LGPL-2.1-or-later
// Pictures of tracks as the few numbers that names are learnt from, by one codebook. One thread at a time.
#pragma once

#include "common/device.h"
#include "kernels/fisher/model_file.h"
#include "kernels/label/picture.h"

#include <memory>
#include <span>
#include <vector>

namespace vigil::label {

// A picture of a track, and which of its pixels are the object.
struct Look {
  Picture picture{}, silhouette{}; // picture.h; an empty silhouette: each pixel counts the same
};

class PictureEncoder {
 public:
  // `device`: null for a thread of the CPU. Throws Error::bad_data for a codebook that is none, and what
  // make() of fisher.h throws.
  explicit PictureEncoder(const fisher::Model &, std::unique_ptr<Device> device = nullptr);
  ~PictureEncoder();
  // Empty for what is no picture of picture_bytes, or has a vector of zeros.
  std::vector<float> appearance(const Picture &);
  // The same of each, with the same bits. On a GPU up to fisher::max_pictures of them take one launch of each
  // kernel. `background`: weight of what is outside of a silhouette, 0..1 (kernels/fisher/mask_weights.h); a
  // silhouette that is no picture, or shows nothing, is none.
  std::vector<std::vector<float>> appearances(std::span<const Look>, float background);

 private:
  void encode(std::span<const Look *const>, float background);
  const std::unique_ptr<Device> device_;
  const std::unique_ptr<Queue> queue_;
  const std::unique_ptr<fisher::Extractor> extractor_;
  const std::unique_ptr<fisher::Encoder> encoder_;
  const int together_;              // pictures that memory is there for
  std::vector<float> of_no_motion_; // what a codebook of motion adds to each vector
  DeviceBuffer pictures_, weights_, vectors_;
  std::vector<std::uint8_t> pixels_; // that are sent, as the weights are
  std::vector<float> shares_, found_;
};

} // namespace vigil::label
