// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/view/sketch.h"

#include "kernels/ghost/luma.h"

#include <algorithm>
#include <cstddef>

namespace vigil::view {

Layout layout_for(int width, int height) {
  Layout l{width, height, 0, 0, 0};
  l.cell = std::max(least_cell, (std::max(width, height) + most_cells - 1) / most_cells);
  l.columns = width / l.cell;
  l.rows = height / l.cell;
  return l;
}

void sketch(const ConstImage &picture, const Sketch &before, Sketch &out) {
  const Layout l = layout_for(picture.width, picture.height);
  out.layout = l;
  for (std::vector<float> *v : {&out.mean, &out.across, &out.down, &out.energy, &out.lasting})
    v->resize(std::size_t(l.cells()));
  const bool first = before.layout != l;
  const int step = std::max(1, l.cell / 4), reach = std::max(1, l.cell / 12);
  const auto luma = [&](int x, int y) { return ghost::luma_at(picture, x, y); };
  for (int row = 0; row < l.rows; row++)
    for (int column = 0; column < l.columns; column++) {
      const int left = column * l.cell, top = row * l.cell;
      int sum = 0, n = 0;
      for (int y = top; y < top + l.cell; y += step)
        for (int x = left; x < left + l.cell; x += step, n++) sum += luma(x, y);
      const std::size_t i = std::size_t(row) * std::size_t(l.columns) + std::size_t(column);
      const int x = left + l.cell / 2, y = top + l.cell / 2;
      out.mean[i] = float(sum) / float(n);
      out.across[i] = float(luma(x + reach, y) - luma(x - reach, y));
      out.down[i] = float(luma(x, y + reach) - luma(x, y - reach));
      out.energy[i] = out.across[i] * out.across[i] + out.down[i] * out.down[i];
      out.lasting[i] =
          first ? out.energy[i] : out.across[i] * before.across[i] + out.down[i] * before.down[i];
    }
}

void blend(Sketch &known, const Sketch &frame, float share) {
  const auto mix = [share](std::vector<float> &to, const std::vector<float> &from) {
    for (std::size_t i = 0; i < to.size(); i++) to[i] += share * (from[i] - to[i]);
  };
  mix(known.mean, frame.mean);
  mix(known.across, frame.across);
  mix(known.down, frame.down);
  mix(known.energy, frame.energy);
  mix(known.lasting, frame.lasting);
}

} // namespace vigil::view
