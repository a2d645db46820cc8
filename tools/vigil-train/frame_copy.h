// SPDX-License-Identifier: LGPL-2.1-or-later
// Pictures in the host's memory, as kernels of a device can read them.
#pragma once

#include "common/device.h"
#include "common/plane.h"

#include <cstdint>
#include <cstring>
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

inline ConstImage FrameCopy::bring(const ConstImage &frame, Queue &queue) {
  if (device_.backend() == Backend::cpu) return frame;
  const auto row = static_cast<std::size_t>(row_bytes(frame.format, 0, frame.width));
  const std::size_t bytes = row * static_cast<std::size_t>(frame.height);
  if (memory_.bytes() < bytes) {
    staging_.reset(); // what was taken is given back first
    memory_ = DeviceBuffer();
    staging_ = {static_cast<std::uint8_t *>(device_.allocate_host(bytes)), Release{&device_}};
    memory_ = DeviceBuffer(device_, bytes);
  }
  const auto plane = frame.plane(0);
  for (int y = 0; y < frame.height; y++)
    std::memcpy(staging_.get() + static_cast<std::size_t>(y) * row, plane.row(y), row);
  device_.upload(memory_.as(), staging_.get(), bytes, queue);
  ConstImage copy{plane_count(frame.format) > 1 ? PixelFormat::gray8 : frame.format, frame.width,
                  frame.height};
  copy.data[0] = memory_.as<const std::uint8_t>();
  copy.stride[0] = static_cast<std::ptrdiff_t>(row);
  return copy;
}

} // namespace vigil::train
