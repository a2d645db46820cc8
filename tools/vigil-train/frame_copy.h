// SPDX-License-Identifier: LGPL-2.1-or-later
// Pictures in the host's memory, as kernels of a device can read them.
#pragma once

#include "common/device.h"
#include "common/plane.h"

#include <cstdint>
#include <memory>

namespace vigil::train {

class FrameCopy {
 public:
  explicit FrameCopy(Device &device) : device_(device) {}
  // On the CPU the picture itself. Elsewhere plane 0 alone, which is all that descriptors are made of: a copy
  // that work in `queue` can read, as gray8 where the picture has further planes. The queue must have got
  // past it before the next call; memory is taken only for a picture that is larger than all before.
  ConstImage bring(const ConstImage &, Queue &queue);

 private:
  struct Release {
    Device *device;
    void operator()(std::uint8_t *p) const noexcept { device->release_host(p); }
  };
  Device &device_;
  std::unique_ptr<std::uint8_t, Release> staging_;
  DeviceBuffer memory_;
};

} // namespace vigil::train
