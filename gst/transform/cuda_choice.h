// SPDX-License-Identifier: LGPL-2.1-or-later
// The properties that choose a device: cuda-device-id, of all elements whose work reaches frames in CUDA
// memory, and threads, of those that have a CPU backend as well. Knows no GStreamer.
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
          "Number of the CUDA device that works on the frames, or that they go through. -1: the one that "
          "the neighbours use, else the first",
          &CudaChoice::device_id, -1, 255),
};

// The values of the property backend: of elements that work in CUDA and on the CPU, and of those that work in
// compute shaders of OpenGL as well.
enum class BackendChoice { automatic, cuda, cpu };
enum class ComputeChoice { automatic, cuda, cpu, gl };
struct DeviceOptions : CudaChoice {
  int threads = 0;
  bool operator==(const DeviceOptions &) const = default;
};
inline constexpr auto device_options_table = std::tuple_cat(
    cuda_choice_table, std::tuple{param("threads", "Threads",
                                        "Threads of the CPU backend; 0: as many as the machine runs at once",
                                        &DeviceOptions::threads, 0, 1024)});

} // namespace vigil::gst
