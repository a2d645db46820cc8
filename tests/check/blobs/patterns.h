// SPDX-License-Identifier: LGPL-2.1-or-later
// Masks that are hard for union-find or for its memory, and one like a cleaned mask: for gpucheck's cases and
// for benchmarks.
#pragma once

#include "common/plane.h"

#include <algorithm>
#include <cstdint>
#include <random>

namespace vigil::blobs {

using Mask = Plane<std::uint8_t>;

inline void paint(Mask m, auto is_foreground) {
  for (int y = 0; y < m.height; y++)
    for (int x = 0; x < m.width; x++) m.row(y)[x] = is_foreground(x, y) ? 255 : (x + y) % 3 ? 0 : 127;
}
// What is hard for union-find or for its memory.
struct Pattern {
  const char *name;
  void (*paint)(std::mt19937_64 &, Mask);
};
inline void paint_noise(std::mt19937_64 &rng, Mask m, unsigned percent) {
  paint(m, [&](int, int) { return rng() % 100 < percent; });
}
// A path of width 1 that turns inwards, with a path of background next to it: one component, as long as it
// can be.
inline void paint_spiral(std::mt19937_64 &, Mask m) {
  paint(m, [](int, int) { return false; });
  int left = 0, top = 0, right = m.width - 1, bottom = m.height - 1;
  int x = 0, y = 0;
  const auto go = [&](int to_x, int to_y) {
    for (;;) {
      m.row(y)[x] = 255;
      if (x == to_x && y == to_y) return;
      x += (to_x > x) - (to_x < x);
      y += (to_y > y) - (to_y < y);
    }
  };
  while (left <= right && top <= bottom) {
    go(right, top);
    go(right, bottom);
    if (top + 1 >= bottom || left + 1 >= right) return;
    go(left, bottom);
    top += 2;
    if (top > bottom) return;
    go(left, top);
    left += 2;
    right -= 2;
    bottom -= 2;
    if (left > right) return;
    go(left, top);
  }
}
// Rectangles with holes and specks, as a cleaned mask has them.
inline void paint_real(std::mt19937_64 &rng, Mask m) {
  const auto below = [&](int n) { return int(rng() % std::uint64_t(n)); };
  paint(m, [](int, int) { return false; });
  for (int n = 12 + m.width * m.height / 100000; n > 0; n--) {
    const int w = 1 + below(std::max(2, m.width / 12)), h = 1 + below(std::max(2, m.height / 6));
    const int x0 = below(m.width), y0 = below(m.height), value = below(5) == 0 ? 0 : 255;
    for (int y = y0; y < std::min(m.height, y0 + h); y++) {
      const int slant = (y - y0) / 3;
      for (int x = x0 + slant; x < std::min(m.width, x0 + slant + w); x++) m.row(y)[x] = std::uint8_t(value);
    }
  }
  for (int n = m.width * m.height / 5000; n > 0; n--) m.row(below(m.height))[below(m.width)] = 255;
}
inline constexpr Pattern patterns[] = {
    {"nothing", [](std::mt19937_64 &, Mask m) { paint(m, [](int, int) { return false; }); }},
    {"everything", [](std::mt19937_64 &, Mask m) { paint(m, [](int, int) { return true; }); }},
    {"real-like", paint_real},
    {"noise 3 %", [](std::mt19937_64 &rng, Mask m) { paint_noise(rng, m, 3); }},
    {"noise 40 %", [](std::mt19937_64 &rng, Mask m) { paint_noise(rng, m, 40); }},
    {"noise 60 %", [](std::mt19937_64 &rng, Mask m) { paint_noise(rng, m, 60); }},
    {"checkerboard",
     [](std::mt19937_64 &, Mask m) { paint(m, [](int x, int y) { return (x + y) % 2 == 0; }); }},
    {"dots",
     [](std::mt19937_64 &, Mask m) { paint(m, [](int x, int y) { return x % 2 == 0 && y % 2 == 0; }); }},
    {"spiral", paint_spiral},
    {"comb", [](std::mt19937_64 &,
                Mask m) { paint(m, [&](int x, int y) { return x % 2 == 0 || y == m.height - 1; }); }},
    {"comb sideways", [](std::mt19937_64 &,
                         Mask m) { paint(m, [&](int x, int y) { return y % 2 == 0 || x == m.width - 1; }); }},
    {"diagonals", [](std::mt19937_64 &, Mask m) { paint(m, [](int x, int y) { return (x + y) % 4 == 0; }); }},
    {"diagonals back",
     [](std::mt19937_64 &, Mask m) { paint(m, [](int x, int y) { return (x - y + 40000) % 4 == 0; }); }},
};

} // namespace vigil::blobs
