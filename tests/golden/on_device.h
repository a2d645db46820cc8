// SPDX-License-Identifier: LGPL-2.1-or-later
// Golden vectors in the memory of a device, and the devices on which backends replay them.
#pragma once

#include "common/device.h"
#include "common/error.h"

#include <cstdio>
#include <memory>
#include <span>
#include <vector>

namespace vigil::test {

template <class T>
class OnDevice {
 public:
  OnDevice(Device &device, std::size_t count) : device_(device), memory_(device, count * sizeof(T)) {}
  OnDevice(Device &device, std::span<const T> values, Queue &queue) : OnDevice(device, values.size()) {
    device.upload(data(), values.data(), memory_.bytes(), queue);
  }
  T *data() const { return memory_.template as<T>(); }
  // Waits for the queue.
  std::vector<T> fetch(Queue &queue) const {
    std::vector<T> values(memory_.bytes() / sizeof(T));
    device_.download(values.data(), data(), memory_.bytes(), queue);
    queue.wait();
    return values;
  }

 private:
  Device &device_;
  DeviceBuffer memory_;
};

// Runs fn on an OpenGL device without a window; says why where there is none.
template <class Fn>
void where_there_is_gl(Fn fn) {
  std::unique_ptr<Device> device;
  try {
    device = open_gl();
  } catch (const Error &e) {
    if (e.kind() != Error::Kind::no_device) throw;
    std::printf("SKIPPED in part: without OpenGL: %s\n", e.what());
    return;
  }
  fn(*device);
}

} // namespace vigil::test
