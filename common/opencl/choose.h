// SPDX-License-Identifier: LGPL-2.1-or-later
// Which OpenCL device is meant: by number, by a part of its name, or the first of the most useful kind.
#pragma once

#include "common/opencl/handle.h"

#include <string>
#include <vector>

namespace vigil {

struct ClCandidate {
  cl_device_id id = nullptr;
  cl_platform_id platform = nullptr;
  cl_device_type type = 0;
  std::string name, platform_name;
  std::string unusable; // why it cannot be used; empty when it can
};

// All devices of all platforms, in the order in which OpenCL lists them; empty where there is no platform.
std::vector<ClCandidate> cl_candidates();

// One line a device: "  0: NVIDIA H200 (GPU, NVIDIA CUDA)".
std::string list_of(const std::vector<ClCandidate> &);

// The index of the one that `selector` means: a number, or a part of the device's or platform's name in upper
// or lower case; empty: the first GPU, else the first accelerator, else the first CPU. Throws
// Error::no_device: without any candidate it names the package to install, with a selector that fits none it
// lists what there is.
std::size_t choose(const std::vector<ClCandidate> &, const std::string &selector);

} // namespace vigil
