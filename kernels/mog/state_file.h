// SPDX-License-Identifier: LGPL-2.1-or-later
// A model on disk, so that a restart does not relearn, and with it pictures of the background in other
// lights. All numbers are little-endian:
//
//   offset  bytes
//        0      8  "VIGILMOG"
//        8      4  version: 1 without pictures, 2 with pictures
//       12      4  CRC-32 (zlib's) of everything from offset 16 to the end
//       16      4  width, in pixels
//       20      4  height
//       24      1  channels: 1 or 3
//       25      1  method: 0 mog, 1 zivkovic
//       26      1  components K: 1..max_components
//       27      1  samples: 0 luma, 1 R G B, 2 B G R, 3 Y U V
//       28      8  frames learnt
//       36      1  number of pictures: 0 in version 1, 1..most_pictures in version 2
//       37      1  their format: 0 GRAY8, 1 RGBA, 2 BGRA, 3 NV12, 4 I420; 0 in version 1
//       38      2  reserved, 0
//       40      n  for each of the n = width * height pixels one byte: bit k set where component k is in use
//                  (zivkovic: the lowest bits, as its components are sorted)
//     40+n  (2 + channels) * 4 for each component in use: weight, variance, means, as IEEE 754 single; pixel
//                  after pixel, row by row, and within a pixel in the order of the components
//  then, in version 2, the pictures: plane after plane, rows without padding
#pragma once

#include "kernels/mog/mog.h"

#include <span>
#include <string>
#include <vector>

namespace vigil::mog {

// What the means of a model stand for: a model of one kind is of no use to frames of another.
enum class Samples : std::uint8_t { luma, rgb, bgr, yuv, yvu };
Samples samples_of(PixelFormat, int channels);
const char *name_of(Samples);

inline constexpr std::size_t most_pictures = 3;

// Pictures of the model's size, plane after plane, rows without padding.
struct Pictures {
  PixelFormat format = PixelFormat::gray8; // 8 bits a sample
  std::vector<std::vector<std::uint8_t>> bytes;
};
std::size_t picture_bytes(PixelFormat, int width, int height);

struct SavedModel {
  State state;
  Samples samples = Samples::luma;
  Pictures lights = {}; // the background in lights that there were before, the oldest first
};

std::vector<std::uint8_t> serialize(const SavedModel &);
// Any bytes at all are safe to read. Throws Error::bad_data, saying what is wrong, unless they are one whole
// undamaged model of this version with possible values. Allocates no more than about a hundred times their
// size.
SavedModel parse(std::span<const std::uint8_t> bytes);

// Writes a new file next to `path` and renames it, so that there is a whole model under that name at any
// time. Throws Error::write.
void write_file(const std::string &path, const SavedModel &);
// Throws Error::io when the file cannot be read, otherwise as parse().
SavedModel read_file(const std::string &path);
// Throws Error::bad_data, naming what differs, unless the model fits frames of this kind.
void check_fits(const SavedModel &, const Config &, Samples);

} // namespace vigil::mog
