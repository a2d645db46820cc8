// SPDX-License-Identifier: LGPL-2.1-or-later
// Takes the place of device.cpp in builds without nvcc.
#include "common/device.h"

#include "common/error.h"

namespace vigil {

std::unique_ptr<Device> open_cuda(int) {
  fail(Error::Kind::no_device, "this build has no CUDA; build with nvcc 12 or newer, or use the CPU");
}

} // namespace vigil
