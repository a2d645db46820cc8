// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace vigil::gst {

// A PNG file as grey levels, row by row; transparent pixels are white. Throws Error::io when it cannot be
// read as a PNG, Error::bad_data when it is not width x height pixels (checked before its pixels are).
std::vector<std::uint8_t> read_grey_png(const std::string &path, int width, int height);
// The same as R G B A.
std::vector<std::uint8_t> read_rgba_png(const std::string &path, int width, int height);
// Throws as above unless the file begins as a PNG does.
void check_png(const std::string &path);

} // namespace vigil::gst
