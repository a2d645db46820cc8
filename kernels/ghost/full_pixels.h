// SPDX-License-Identifier: LGPL-2.1-or-later
// The foreground of a mask's row, fast where there is little of it. Host memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace vigil::ghost {

// Calls each(x), from left to right, where row[x] is 255.
template <class Each>
void for_each_full(const std::uint8_t *row, int width, Each each) {
  for (int x = 0; x < width; x++) {
    const void *next = std::memchr(row + x, 255, static_cast<std::size_t>(width - x));
    if (!next) return;
    for (x = static_cast<int>(static_cast<const std::uint8_t *>(next) - row); x < width && row[x] == 255; x++)
      each(x);
  }
}

} // namespace vigil::ghost
