// SPDX-License-Identifier: LGPL-2.1-or-later
// Pictures of tracks as the few numbers that names are learnt from, by one codebook. One thread at a time.
#pragma once

#include "common/device.h"
#include "kernels/fisher/scorer.h"
#include "kernels/label/picture.h"

#include <memory>
#include <vector>

namespace vigil::label {

class PictureEncoder {
 public:
  // Throws Error::bad_data for a codebook that is none.
  explicit PictureEncoder(const fisher::Model &);
  // Empty for what is no picture of picture_bytes, or has a vector of zeros.
  std::vector<float> appearance(const Picture &);

 private:
  const std::unique_ptr<Device> device_;
  const std::unique_ptr<Queue> queue_;
  fisher::Scorer scorer_;
  DeviceBuffer on_device_;
  std::vector<float> parts_, vector_;
};

} // namespace vigil::label
