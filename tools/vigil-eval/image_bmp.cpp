// SPDX-License-Identifier: LGPL-2.1-or-later
#include "image.h"

#include "common/error.h"

#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>

namespace vigil::eval {

namespace {

std::uint32_t little_endian(const std::vector<std::uint8_t> &file, std::size_t at, int bytes) {
  std::uint32_t v = 0;
  for (int i = bytes; i-- > 0;) v = v << 8 | file[at + i];
  return v;
}

} // namespace

GrayImage read_bmp(const std::string &path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) fail(Error::Kind::io, "cannot open ", path, ": ", std::strerror(errno));
  const std::vector<std::uint8_t> file{std::istreambuf_iterator<char>(in), {}};
  constexpr std::size_t file_header = 14, least = file_header + 40;
  if (file.size() < least || file[0] != 'B' || file[1] != 'M')
    fail(Error::Kind::bad_data, path, " is not a BMP file");

  const std::uint32_t pixels = little_endian(file, 10, 4);
  const std::uint32_t info_size = little_endian(file, 14, 4);
  const auto width = static_cast<std::int32_t>(little_endian(file, 18, 4));
  const auto signed_height = static_cast<std::int32_t>(little_endian(file, 22, 4));
  const std::uint32_t bits = little_endian(file, 28, 2);
  const std::uint32_t compression = little_endian(file, 30, 4);
  constexpr std::int32_t largest = 1 << 15; // keeps every product below in range
  if (width < 1 || width > largest || signed_height == 0 || signed_height < -largest ||
      signed_height > largest)
    fail(Error::Kind::bad_data, path, " is a BMP of impossible size ", width, "x", signed_height);
  if (compression != 0 || (bits != 1 && bits != 8 && bits != 24 && bits != 32))
    fail(Error::Kind::bad_data, path, " is a BMP of ", bits, " bits, compression ", compression,
         "; only uncompressed ones of 1, 8, 24 or 32 bits can be read");

  const int height = std::abs(signed_height);
  const std::size_t row = (static_cast<std::size_t>(width) * bits + 31) / 32 * 4;
  const std::size_t palette = file_header + info_size;
  std::size_t colours = 0;
  if (bits <= 8) {
    colours = little_endian(file, 46, 4);
    if (colours == 0) colours = std::size_t{1} << bits;
  }
  if (file.size() < pixels || file.size() - pixels < row * height || file.size() < palette ||
      file.size() - palette < colours * 4)
    fail(Error::Kind::bad_data, path, " is a BMP that ends too early, at ", file.size(), " bytes");

  GrayImage out{width, height, std::vector<std::uint8_t>(static_cast<std::size_t>(width) * height)};
  for (int y = 0; y < height; y++) {
    const int stored = signed_height > 0 ? height - 1 - y : y; // a positive height counts from the bottom
    const std::uint8_t *from = file.data() + pixels + row * stored;
    std::uint8_t *to = out.bytes.data() + static_cast<std::size_t>(y) * width;
    for (int x = 0; x < width; x++) {
      if (bits >= 24) {
        to[x] = from[x * (bits / 8) + 2];
        continue;
      }
      const std::size_t index = bits == 8 ? from[x] : from[x / 8] >> (7 - x % 8) & 1;
      if (index >= colours) fail(Error::Kind::bad_data, path, " uses colour ", index, " of ", colours);
      to[x] = file[palette + index * 4 + 2];
    }
  }
  return out;
}

} // namespace vigil::eval
