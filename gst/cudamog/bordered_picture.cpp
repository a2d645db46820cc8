// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/cudamog/bordered_picture.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>

namespace vigil::gst::cudamog {
namespace {

constexpr int step = 64; // pixels of border

} // namespace

BorderedPicture::BorderedPicture(Device &device, PixelFormat format, int width, int height, int border)
    : border_((border + step - 1) / step * step), picture_(device, format, width, height, border_) {}

void BorderedPicture::fill_border(int width) {
  const Image image = picture_.image();
  for (int i = 0; i < plane_count(image.format); i++) {
    const std::ptrdiff_t around = in_plane(width, i), pixel = pixel_bytes(image.format, i);
    const std::ptrdiff_t bytes = row_bytes(image.format, i, image.width);
    const int rows = plane_rows(i, image.height);
    for (int y = 0; y < rows; y++) {
      std::uint8_t *row = image.plane(i).row(y);
      for (std::ptrdiff_t n = 1; n <= around; n++) {
        std::memcpy(row - n * pixel, row, std::size_t(pixel));
        std::memcpy(row + bytes + (n - 1) * pixel, row + bytes - pixel, std::size_t(pixel));
      }
    }
    const auto whole = std::size_t(bytes + 2 * around * pixel);
    for (int n = 1; n <= int(around); n++) {
      std::memcpy(image.plane(i).row(-n) - around * pixel, image.plane(i).row(0) - around * pixel, whole);
      std::memcpy(image.plane(i).row(rows - 1 + n) - around * pixel,
                  image.plane(i).row(rows - 1) - around * pixel, whole);
    }
  }
  filled_ = width;
}

ConstImage BorderedPicture::through(Shift shift) {
  const int most = std::max(std::abs(shift.x), std::abs(shift.y));
  if (most > filled_) fill_border(std::min((most + 15) / 16 * 16, border_)); // not again for the next pixel
  Image seen = picture_.image();
  for (int i = 0; i < plane_count(seen.format); i++)
    seen.data[i] -=
        in_plane(shift.y, i) * seen.stride[i] + in_plane(shift.x, i) * pixel_bytes(seen.format, i);
  return seen;
}

} // namespace vigil::gst::cudamog
