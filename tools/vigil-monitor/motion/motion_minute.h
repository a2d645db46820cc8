// SPDX-License-Identifier: LGPL-2.1-or-later
// The moving cells of one minute, second by second, and the bytes in which they are kept.
//
// The first byte is the format, 1. Codes of the seconds follow, in order:
//   1..18        one second; so many rows follow
//   0x40 + n - 1 n seconds in which nothing moved
//   0x80 + n - 1 n seconds like the one before
// A row holds the cells that differ from the row above, which two rows of a rectangle do. It is one byte, its
// number, to which 0x80 is added where these cells are one run. A run is two bytes, its first cell and its
// length; else the 32 cells follow, little-endian. Rows without such cells are left out. At the end is a
// CRC-32 of all bytes before it, little-endian.
#pragma once

#include "moving_cells.h"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace vigil::monitor {

using MotionMinute = std::array<MovingCells, 60>;

std::vector<std::uint8_t> encode(const MotionMinute &);
// Empty where the bytes are damaged, or of a format that is not known.
std::optional<MotionMinute> decode_minute(std::span<const std::uint8_t>);

} // namespace vigil::monitor
