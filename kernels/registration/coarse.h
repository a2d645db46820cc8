// SPDX-License-Identifier: LGPL-2.1-or-later
// Coarse pictures of luma, and the shift at which the slopes of two of them agree best. It finds shifts that
// are far from where a search at full size would start.
//
// The lowest level has cells of c = max(1, ceil(longest side / 160)) pixels, each the mean of every
// max(1, c / 4)-th pixel of every max(1, c / 4)-th row; of each further level of the three a cell is the mean
// of 2x2. Means are integers, in 1/16 grey levels. A cell's slope is the difference of its neighbours, across
// and down; at the border there is none. Cells agree by
//   max(f.b, 0) / max(f.f, b.b), rounded down to 1/share_unit
// f and b the slopes of frame and background; counted are cells with b.b >= least_slope^2. The highest level
// is searched whole, of each lower one the shifts within two cells of the last level's best. The same in the
// CPU and the CUDA backend.
#pragma once

#include "kernels/ghost/luma.h"
#include "kernels/registration/registration.h"

#include <cmath>
#include <cstdint>

namespace vigil::registration {

inline constexpr int coarse_levels = 3;
inline constexpr int most_cells = 160; // along the longest side, on the lowest level
inline constexpr int level_units = 16; // of means, in a grey level
inline constexpr int least_slope = 4 * level_units;

// A picture's lowest level, and how many cells each level has.
struct CoarseGrid {
  int cell = 1, step = 1; // pixels; from sample to sample
  int columns[coarse_levels] = {}, rows[coarse_levels] = {};
  VIGIL_HOST_DEVICE CoarseGrid(int width, int height) {
    const int longest = width > height ? width : height;
    cell = longest <= most_cells ? 1 : (longest + most_cells - 1) / most_cells;
    step = cell < 8 ? 1 : cell / 4;
    for (int i = 0; i < coarse_levels; i++) {
      columns[i] = i == 0 ? width / cell : columns[i - 1] / 2;
      rows[i] = i == 0 ? height / cell : rows[i - 1] / 2;
    }
  }
  VIGIL_HOST_DEVICE int cells(int level) const { return columns[level] * rows[level]; }
};

inline VIGIL_HOST_DEVICE int coarse_mean(const ConstImage &p, const CoarseGrid &g, int i) {
  const int left = i % g.columns[0] * g.cell, top = i / g.columns[0] * g.cell;
  int sum = 0, n = 0;
  for (int y = top; y < top + g.cell; y += g.step)
    for (int x = left; x < left + g.cell; x += g.step, n++) sum += ghost::luma_at(p, x, y);
  return (level_units * sum + n / 2) / n;
}
// Of cell i of a level, from the level below it.
inline VIGIL_HOST_DEVICE int mean_of_four(const std::int16_t *below, int columns_below, int columns, int i) {
  const std::int16_t *p = below + 2 * (i / columns) * columns_below + 2 * (i % columns);
  return (p[0] + p[1] + p[columns_below] + p[columns_below + 1] + 2) / 4;
}

struct Slope {
  std::int16_t across = 0, down = 0;
  VIGIL_HOST_DEVICE int dot(const Slope &o) const { return across * o.across + down * o.down; }
};
inline VIGIL_HOST_DEVICE Slope slope_at(const std::int16_t *means, int columns, int rows, int i) {
  const int x = i % columns, y = i / columns;
  if (x == 0 || y == 0 || x + 1 == columns || y + 1 == rows) return {};
  return {static_cast<std::int16_t>(means[i + 1] - means[i - 1]),
          static_cast<std::int16_t>(means[i + columns] - means[i - columns])};
}
// How far two cells agree; less than 0: the background's slope is too small to count.
inline VIGIL_HOST_DEVICE int agreement_of(const Slope &f, const Slope &b) {
  const int energy = b.dot(b);
  if (energy < least_slope * least_slope) return -1;
  const int dot = f.dot(b), own = f.dot(f);
  if (dot <= 0) return 0;
  return static_cast<int>(float(share_unit) * static_cast<float>(dot) /
                          static_cast<float>(own > energy ? own : energy));
}

// The cells of the background that are in the frame when moved by (dx, dy), every step-th of them: their
// first, and how many in each direction.
struct Overlap {
  int left, top, columns, rows, step;
  VIGIL_HOST_DEVICE Overlap(int all_columns, int all_rows, int dx, int dy, int every)
      : left(dx < 0 ? 1 - dx : 1), top(dy < 0 ? 1 - dy : 1),
        columns(steps((dx > 0 ? all_columns - 1 - dx : all_columns - 1) - left, every)),
        rows(steps((dy > 0 ? all_rows - 1 - dy : all_rows - 1) - top, every)), step(every) {}
  VIGIL_HOST_DEVICE int cells() const { return columns * rows; }

 private:
  static VIGIL_HOST_DEVICE int steps(int cells, int every) {
    return cells > 0 ? (cells + every - 1) / every : 0;
  }
};
inline VIGIL_HOST_DEVICE float mean_agreement(std::uint32_t sum, int cells) {
  return cells > 0 ? static_cast<float>(sum) / static_cast<float>(cells) : 0.f;
}

// Where a parabola through three neighbours has its top, -0.5..0.5.
inline VIGIL_HOST_DEVICE float top_of(float before, float at, float after) {
  const float bend = before - 2 * at + after;
  if (!(bend < 0)) return 0;
  const float top = 0.5f * (before - after) / bend;
  return top < -0.5f ? -0.5f : top > 0.5f ? 0.5f : top;
}

// Shifts in cells, from `first` to `last`; left above first.
struct Window {
  Shift first, last;
};
struct CoarsePeak {
  Shift at;
  float agreement = -1;
};

// The shift of the frame in pixels, of at most `range` in x and in y, to about a quarter of the lowest
// level's cell. `Compare` knows both pyramids:
//   CoarsePeak best(int level, Window, int step)      the best, of equals the first, row by row
//   float agreement(int level, Shift, int step)
template <class Compare>
VIGIL_HOST_DEVICE Shift find_coarse(const Compare &compare, const CoarseGrid &grid, int range) {
  CoarsePeak best;
  for (int level = coarse_levels - 1; level >= 0; level--) {
    const bool top = level == coarse_levels - 1;
    const int far = range / (grid.cell << level) + 1, reach = top ? far : 2;
    const Shift middle = top ? Shift{} : Shift{2 * best.at.x, 2 * best.at.y};
    const auto low = [&](int at) { return at - reach < -far ? -far : at - reach; };
    const auto high = [&](int at) { return at + reach > far ? far : at + reach; };
    best = compare.best(level, {{low(middle.x), low(middle.y)}, {high(middle.x), high(middle.y)}},
                        level == 0 ? 2 : 1);
  }
  const auto at = [&](int dx, int dy) { return compare.agreement(0, {best.at.x + dx, best.at.y + dy}, 2); };
  const auto pixels = [&](int cells, float part) {
    const auto p =
        static_cast<int>(lroundf((static_cast<float>(cells) + part) * static_cast<float>(grid.cell)));
    return p < -range ? -range : p > range ? range : p;
  };
  return {pixels(best.at.x, top_of(at(-1, 0), best.agreement, at(1, 0))),
          pixels(best.at.y, top_of(at(0, -1), best.agreement, at(0, 1)))};
}

} // namespace vigil::registration
