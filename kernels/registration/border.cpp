// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/registration/border.h"

#include "common/shifted.h"

#include <cstring>

namespace vigil::registration {
namespace {

void fill_plane(const Image &image, int i, int pixels) {
  const std::ptrdiff_t around = in_plane(pixels, i), pixel = pixel_bytes(image.format, i);
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

} // namespace

void fill_border(Device &device, const Image &image, int pixels, Queue &queue) {
  if (device.backend() == Backend::cuda) return fill_border_cuda(device, image, pixels, queue);
  if (device.backend() == Backend::gl) return fill_border_gl(device, image, pixels, queue);
  for (int i = 0; i < plane_count(image.format); i++) fill_plane(image, i, pixels);
}

} // namespace vigil::registration
