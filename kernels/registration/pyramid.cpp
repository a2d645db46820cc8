// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/registration/pyramid.h"

#include <cstddef>

namespace vigil::registration {

void Pyramid::build(const ConstImage &picture, const CoarseGrid &g) {
  for (int level = 0; level < coarse_levels; level++) {
    auto &[means, slopes] = levels[std::size_t(level)];
    const int columns = g.columns[level], rows = g.rows[level], cells = g.cells(level);
    means.resize(std::size_t(cells));
    slopes.resize(std::size_t(cells));
    for (int i = 0; i < cells; i++)
      means[std::size_t(i)] =
          static_cast<std::int16_t>(level == 0 ? coarse_mean(picture, g, i)
                                               : mean_of_four(levels[std::size_t(level) - 1].means.data(),
                                                              g.columns[level - 1], columns, i));
    for (int i = 0; i < cells; i++) slopes[std::size_t(i)] = slope_at(means.data(), columns, rows, i);
  }
}

float Pyramids::agreement(int level, Shift s, int step) const {
  const int columns = grid.columns[level];
  const Overlap o(columns, grid.rows[level], s.x, s.y, step);
  const std::vector<Slope> &f = frame.levels[std::size_t(level)].slopes,
                           &b = background.levels[std::size_t(level)].slopes;
  std::uint32_t sum = 0;
  int cells = 0;
  for (int row = 0; row < o.rows; row++)
    for (int column = 0; column < o.columns; column++) {
      const int x = o.left + column * step, y = o.top + row * step;
      const int a =
          agreement_of(f[std::size_t((y + s.y) * columns + x + s.x)], b[std::size_t(y * columns + x)]);
      cells += a >= 0;
      sum += a > 0 ? static_cast<std::uint32_t>(a) : 0;
    }
  return mean_agreement(sum, cells);
}

CoarsePeak Pyramids::best(int level, const Window &w, int step) const {
  CoarsePeak best;
  for (int y = w.first.y; y <= w.last.y; y++)
    for (int x = w.first.x; x <= w.last.x; x++)
      if (const float a = agreement(level, {x, y}, step); a > best.agreement) best = {{x, y}, a};
  return best;
}

} // namespace vigil::registration
