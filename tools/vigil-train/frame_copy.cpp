// SPDX-License-Identifier: LGPL-2.1-or-later
#include "frame_copy.h"

#include <cstring>

namespace vigil::train {

ConstImage FrameCopy::bring(const ConstImage &frame, Queue &queue) {
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
