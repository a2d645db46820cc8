// SPDX-License-Identifier: LGPL-2.1-or-later
#include "common/scene/effect.h"

#include "common/scene/day.h"
#include "common/scene/veil.h"

#include <algorithm>
#include <cstddef>

namespace vigil::scene {

void Veil::add(ScenePoint a, ScenePoint b, float radius, const Rgb &colour, float dense) {
  drawing_.add_capsule(a, radius, b, radius, colour, 0);
  dense_.push_back(dense);
}

void Veil::row(const ColourRow &row, int width, int y) const {
  thread_local std::vector<float> memory;
  memory.resize(2 * std::size_t(width));
  float *const cover = memory.data(), *const tone = cover + width;
  const float py = float(y) + 0.5f;
  for (std::size_t i = 0; i < dense_.size(); i++) {
    const Shape &s = drawing_.shapes[i];
    if (py < s.box.top || py > s.box.bottom || s.box.left >= float(width) || s.box.right < 0) continue;
    const int first = int(std::max(s.box.left, 0.f)), last = int(std::min(float(width), s.box.right + 1));
    cover_row(s, y, first, last, cover, tone);
    for (int x = first; x < last; x++) {
      const float a = dense_[i] * cover[x];
      row.r[x] += a * (s.colour.r - row.r[x]);
      row.g[x] += a * (s.colour.g - row.g[x]);
      row.b[x] += a * (s.colour.b - row.b[x]);
    }
  }
}

std::unique_ptr<Effect> make_effect(const Settings &s, const Camera &camera) {
  switch (s.story) {
  case Story::day:
    return std::make_unique<Day>(s, camera);
  case Story::rain:
    return make_rain(s);
  case Story::snow:
    return make_snow(s);
  case Story::insects:
    return make_insects(s, camera);
  case Story::headlights:
    return make_headlights(s, camera);
  case Story::ir_cut:
    return make_ir_cut(s, camera);
  case Story::flicker:
    return make_flicker(s);
  case Story::clock:
    return make_clock(s);
  case Story::flag:
    return make_flag(s);
  case Story::screen:
    return make_screen(s);
  default:
    return nullptr;
  }
}

} // namespace vigil::scene
