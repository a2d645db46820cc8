// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/registration/turned_picture.h"

#include <algorithm>
#include <cstring>

namespace vigil::registration {
namespace {

void draw_plane(const ConstImage &picture, int i, const Turned &places, const Image &out) {
  const int pixel = static_cast<int>(pixel_bytes(picture.format, i)), every = i == 0 ? 1 : 2;
  const int width = static_cast<int>(row_bytes(picture.format, i, picture.width)) / pixel;
  const int height = plane_rows(i, picture.height), piece = Turned::tile / every;
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x += piece) {
      const Position at = places.back(x * every, y * every);
      const std::uint8_t *row = picture.plane(i).row(std::clamp(in_plane(at.y, i), 0, height - 1));
      std::uint8_t *to = out.plane(i).row(y) + std::ptrdiff_t{pixel} * x;
      const int from = in_plane(at.x, i), count = std::min(piece, width - x);
      if (from >= 0 && from + count <= width) {
        std::memcpy(to, row + std::ptrdiff_t{pixel} * from, std::size_t(pixel * count));
        continue;
      }
      for (int k = 0; k < count; k++)
        std::memcpy(to + std::ptrdiff_t{pixel} * k,
                    row + std::ptrdiff_t{pixel} * std::clamp(from + k, 0, width - 1), std::size_t(pixel));
    }
}

} // namespace

void draw_turned(const ConstImage &picture, Shift by, const Image &out) {
  if (!by.is_turned()) return;
  const Turned places(by, picture.width, picture.height);
  for (int i = 0; i < plane_count(picture.format); i++) draw_plane(picture, i, places, out);
}

} // namespace vigil::registration
