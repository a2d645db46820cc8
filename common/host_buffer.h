// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "common/device.h"

#include <cstddef>
#include <memory>

namespace vigil {

// Page-locked host memory with an owner.
class HostBuffer {
 public:
  HostBuffer() = default;
  HostBuffer(Device &device, std::size_t bytes)
      : memory_(device.allocate_host(bytes), [&device](void *p) { device.release_host(p); }) {}
  template <class T>
  T *as() const {
    return static_cast<T *>(memory_.get());
  }

 private:
  std::shared_ptr<void> memory_;
};

} // namespace vigil
