// SPDX-License-Identifier: LGPL-2.1-or-later
// Reads label images: their exact values matter, so no colour management and no scaling of values.
#pragma once

#include "common/plane.h"

#include <cstdint>
#include <string>
#include <vector>

namespace vigil::eval {

struct GrayImage {
  int width = 0, height = 0;
  std::vector<std::uint8_t> bytes; // rows without padding
  Plane<const std::uint8_t> plane() const { return {bytes.data(), width, height, width}; }
};

// PNG of any kind. Grey values are taken as they are, 16 bits by their upper eight; of a palette or colour
// picture the red value is taken (label images are grey in all three).
// Throws Error::io when the file cannot be opened, Error::bad_data when it is no PNG or damaged.
GrayImage read_png(const std::string &path);

// Uncompressed BMP of 1, 8, 24 or 32 bits a pixel; again the red value. Errors as read_png.
GrayImage read_bmp(const std::string &path);

} // namespace vigil::eval
