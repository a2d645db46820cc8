// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/registration/pyramid.h"

#include "kernels/ghost/luma.h"

#include <cmath>
#include <cstddef>

namespace vigil::registration {
namespace {

constexpr int most_cells = 160;  // along the longest side, on the lowest level
constexpr float least_slope = 4; // grey levels

void slopes(Pyramid::Level &l) {
  const std::size_t cells = std::size_t(l.columns) * std::size_t(l.rows);
  for (std::vector<float> *v : {&l.across, &l.down, &l.energy}) v->assign(cells, 0.f);
  for (int y = 1; y + 1 < l.rows; y++)
    for (int x = 1; x + 1 < l.columns; x++) {
      const std::size_t i = std::size_t(y) * std::size_t(l.columns) + std::size_t(x),
                        n = std::size_t(l.columns);
      const float across = l.mean[i + 1] - l.mean[i - 1], down = l.mean[i + n] - l.mean[i - n];
      l.across[i] = across;
      l.down[i] = down;
      l.energy[i] = across * across + down * down;
    }
}

// The mean agreement of the cells of the background that are in the frame when moved by (dx, dy) cells.
float agreement(const Pyramid::Level &f, const Pyramid::Level &b, int dx, int dy, int step) {
  float sum = 0;
  int cells = 0;
  for (int y = std::max(1, 1 - dy); y < std::min(b.rows - 1, b.rows - 1 - dy); y += step)
    for (int x = std::max(1, 1 - dx); x < std::min(b.columns - 1, b.columns - 1 - dx); x += step) {
      const std::size_t i = std::size_t(y) * std::size_t(b.columns) + std::size_t(x);
      if (b.energy[i] < least_slope * least_slope) continue;
      cells++;
      const std::size_t j = std::size_t(y + dy) * std::size_t(b.columns) + std::size_t(x + dx);
      const float dot = f.across[j] * b.across[i] + f.down[j] * b.down[i];
      if (dot > 0) sum += dot / std::max(f.energy[j], b.energy[i]);
    }
  return cells > 0 ? sum / float(cells) : 0.f;
}

// Where a parabola through three neighbours has its top, -0.5..0.5.
float top_of(float before, float at, float after) {
  const float bend = before - 2 * at + after;
  return bend < 0 ? std::clamp(0.5f * (before - after) / bend, -0.5f, 0.5f) : 0.f;
}

} // namespace

void Pyramid::build(const ConstImage &picture) {
  cell_ = std::max(1, (std::max(picture.width, picture.height) + most_cells - 1) / most_cells);
  Level &lowest = levels_[0];
  lowest.columns = picture.width / cell_;
  lowest.rows = picture.height / cell_;
  lowest.mean.resize(std::size_t(lowest.columns) * std::size_t(lowest.rows));
  const int step = std::max(1, cell_ / 4), along = (cell_ + step - 1) / step;
  const float share = 1 / float(along * along);
  for (int row = 0; row < lowest.rows; row++)
    for (int column = 0; column < lowest.columns; column++) {
      int sum = 0;
      for (int y = 0; y < cell_; y += step)
        for (int x = 0; x < cell_; x += step)
          sum += ghost::luma_at(picture, column * cell_ + x, row * cell_ + y);
      lowest.mean[std::size_t(row) * std::size_t(lowest.columns) + std::size_t(column)] = float(sum) * share;
    }
  slopes(lowest);
  for (std::size_t i = 1; i < levels_.size(); i++) {
    const Level &fine = levels_[i - 1];
    Level &coarse = levels_[i];
    coarse.columns = fine.columns / 2;
    coarse.rows = fine.rows / 2;
    coarse.mean.resize(std::size_t(coarse.columns) * std::size_t(coarse.rows));
    const auto n = std::size_t(fine.columns);
    for (int y = 0; y < coarse.rows; y++)
      for (int x = 0; x < coarse.columns; x++) {
        const float *p = fine.mean.data() + 2 * std::size_t(y) * n + 2 * std::size_t(x);
        coarse.mean[std::size_t(y) * std::size_t(coarse.columns) + std::size_t(x)] =
            0.25f * (p[0] + p[1] + p[n] + p[n + 1]);
      }
    slopes(coarse);
  }
}

Shift find_coarse(const Pyramid &frame, const Pyramid &background, int range) {
  int x = 0, y = 0;
  float most = 0;
  const auto search = [&](int level, int reach_cells, int step) {
    const int middle_x = x, middle_y = y;
    const int far = range / (frame.cell() << level) + 1;
    most = -1;
    for (int dy = std::max(middle_y - reach_cells, -far); dy <= std::min(middle_y + reach_cells, far); dy++)
      for (int dx = std::max(middle_x - reach_cells, -far); dx <= std::min(middle_x + reach_cells, far); dx++)
        if (const float a = agreement(frame.level(level), background.level(level), dx, dy, step); a > most) {
          most = a;
          x = dx;
          y = dy;
        }
  };
  constexpr int top = Pyramid::levels - 1;
  search(top, range / (frame.cell() << top) + 1, 1);
  for (int level = top - 1; level >= 0; level--) {
    x *= 2;
    y *= 2;
    search(level, 2, level == 0 ? 2 : 1);
  }
  const auto at = [&](int dx, int dy) {
    return agreement(frame.level(0), background.level(0), x + dx, y + dy, 2);
  };
  const auto pixels = [&](int cells, float part) {
    const auto p = static_cast<int>(std::lround((float(cells) + part) * float(frame.cell())));
    return std::clamp(p, -range, range);
  };
  return {pixels(x, top_of(at(-1, 0), most, at(1, 0))), pixels(y, top_of(at(0, -1), most, at(0, 1)))};
}

} // namespace vigil::registration
