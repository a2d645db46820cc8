// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/cudamog/device_picture.h"

#include "common/shifted.h"

#include <cstddef>

namespace vigil::gst::cudamog {
namespace {

std::ptrdiff_t stride_of(PixelFormat f, int plane, int width) {
  constexpr std::ptrdiff_t row_step = 64;
  return (row_bytes(f, plane, width) + row_step - 1) / row_step * row_step;
}

} // namespace

DevicePicture::DevicePicture(Device &device, PixelFormat format, int width, int height, int border) {
  image_ = {format, width, height, {}, {}};
  std::size_t first[3] = {}, bytes = 0;
  for (int i = 0; i < plane_count(format); i++) {
    const std::ptrdiff_t around = in_plane(border, i), side = around * pixel_bytes(format, i);
    image_.stride[i] = stride_of(format, i, width) + 2 * side;
    first[i] = bytes + static_cast<std::size_t>(around * image_.stride[i] + side);
    bytes += static_cast<std::size_t>(image_.stride[i] * (plane_rows(i, height) + 2 * around));
  }
  memory_ = DeviceBuffer(device, bytes);
  for (int i = 0; i < plane_count(format); i++) image_.data[i] = memory_.as<std::uint8_t>() + first[i];
}

} // namespace vigil::gst::cudamog
