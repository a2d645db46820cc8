// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/cudamog/bordered_picture.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>

namespace vigil::gst::cudamog {
namespace {

constexpr int step = 64; // pixels of border, bytes of a row

int rounded_up(int n) {
  return (n + step - 1) / step * step;
}
// Bytes from one pixel (plane 0) or one chroma value to the next.
std::ptrdiff_t pixel_bytes(PixelFormat f, int plane) {
  if (f == PixelFormat::rgba || f == PixelFormat::bgra) return 4;
  return f == PixelFormat::nv12 && plane == 1 ? 2 : 1;
}
// In the plane's own rows and columns; of an odd shift chroma goes with the pixel to the left.
int scaled(int shift, int plane) {
  return plane == 0 ? shift : (shift - (shift & 1)) / 2;
}

} // namespace

BorderedPicture::BorderedPicture(Device &device, PixelFormat format, int width, int height, int border)
    : image_{format, width, height, {}, {}}, border_(rounded_up(border)) {
  std::size_t first[3] = {}, bytes = 0;
  for (int i = 0; i < plane_count(format); i++) {
    const std::ptrdiff_t around = scaled(border_, i), side = around * pixel_bytes(format, i);
    image_.stride[i] = rounded_up(int(row_bytes(format, i, width))) + 2 * side;
    first[i] = bytes + std::size_t(around * image_.stride[i] + side);
    bytes += std::size_t(image_.stride[i] * (plane_rows(i, height) + 2 * around));
  }
  memory_ = DeviceBuffer(device, bytes);
  for (int i = 0; i < plane_count(format); i++) image_.data[i] = memory_.as<std::uint8_t>() + first[i];
}

void BorderedPicture::fill_border(int width) {
  for (int i = 0; i < plane_count(image_.format); i++) {
    const std::ptrdiff_t around = scaled(width, i), pixel = pixel_bytes(image_.format, i);
    const std::ptrdiff_t bytes = row_bytes(image_.format, i, image_.width);
    const int rows = plane_rows(i, image_.height);
    for (int y = 0; y < rows; y++) {
      std::uint8_t *row = image_.plane(i).row(y);
      for (std::ptrdiff_t n = 1; n <= around; n++) {
        std::memcpy(row - n * pixel, row, std::size_t(pixel));
        std::memcpy(row + bytes + (n - 1) * pixel, row + bytes - pixel, std::size_t(pixel));
      }
    }
    const auto whole = std::size_t(bytes + 2 * around * pixel);
    for (int n = 1; n <= int(around); n++) {
      std::memcpy(image_.plane(i).row(-n) - around * pixel, image_.plane(i).row(0) - around * pixel, whole);
      std::memcpy(image_.plane(i).row(rows - 1 + n) - around * pixel,
                  image_.plane(i).row(rows - 1) - around * pixel, whole);
    }
  }
  filled_ = width;
}

ConstImage BorderedPicture::through(Shift shift) {
  const int most = std::max(std::abs(shift.x), std::abs(shift.y));
  if (most > filled_) fill_border(std::min((most + 15) / 16 * 16, border_)); // not again for the next pixel
  Image seen = image_;
  for (int i = 0; i < plane_count(seen.format); i++)
    seen.data[i] -= scaled(shift.y, i) * seen.stride[i] + scaled(shift.x, i) * pixel_bytes(seen.format, i);
  return seen;
}

} // namespace vigil::gst::cudamog
