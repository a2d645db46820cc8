// SPDX-License-Identifier: LGPL-2.1-or-later
// The property cuda-device-id, of all elements whose work reaches frames in CUDA memory.
#pragma once

#include "common/params.h"

#include <tuple>

namespace vigil::gst {

struct CudaChoice {
  int device_id = -1;
  bool operator==(const CudaChoice &) const = default;
};
inline constexpr auto cuda_choice_table = std::tuple{
    param("cuda-device-id", "CUDA device",
          "Number of the CUDA device that frames are worked on by, or go through; -1: the one that the "
          "neighbours use, else the first",
          &CudaChoice::device_id, -1, 255),
};

} // namespace vigil::gst
