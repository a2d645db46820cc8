// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/cudamog/own_picture.h"

#include <cstddef>

namespace vigil::gst::cudamog {
namespace {

std::ptrdiff_t stride_of(PixelFormat f, int plane, int width) {
  constexpr std::ptrdiff_t step = 64;
  return (row_bytes(f, plane, width) + step - 1) / step * step;
}

} // namespace

OwnPicture::OwnPicture(Device &device, PixelFormat format, int width, int height) {
  image_ = {format, width, height, {}, {}};
  std::size_t offset[3] = {}, bytes = 0;
  for (int i = 0; i < plane_count(format); i++) {
    offset[i] = bytes;
    image_.stride[i] = stride_of(format, i, width);
    bytes += static_cast<std::size_t>(image_.stride[i]) * static_cast<std::size_t>(plane_rows(i, height));
  }
  memory_ = DeviceBuffer(device, bytes);
  for (int i = 0; i < plane_count(format); i++) image_.data[i] = memory_.as<std::uint8_t>() + offset[i];
}

} // namespace vigil::gst::cudamog
