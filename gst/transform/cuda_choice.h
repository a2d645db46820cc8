// SPDX-License-Identifier: LGPL-2.1-or-later
// The property cuda-device-id of elements that do not work in CUDA alone: CUDA hands them frames in its
// memory and in textures, and some of them can work in it.
#pragma once

#include "common/params.h"

#include <tuple>

namespace vigil::gst {

struct CudaChoice {
  int device_id = -1;
};
inline constexpr auto cuda_choice_table = std::tuple{
    param("cuda-device-id", "CUDA device",
          "Number of the CUDA device that frames go through, or are worked on by; -1: the one that the "
          "neighbours use, else the first",
          &CudaChoice::device_id, -1, 255),
};

} // namespace vigil::gst
