// SPDX-License-Identifier: LGPL-2.1-or-later
#include "common/scene/beams.h"

#include "common/scene/ground.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace vigil::scene {
namespace {

constexpr Rgb beam_light{1, 0.95f, 0.84f}, glare_colour{255, 250, 232};
constexpr float beam_strength = 1.3f, beam_length = 30, half_way = 7;  // metres
constexpr float front = 2.15f, lamp_height = 0.6f, lamp_aside = 0.66f; // metres, of a car

// A cone before the car, which widens and fades.
float beam(const Actor &car, ScenePoint p) {
  const ScenePoint h = car.heading, from{car.at.x + front * h.x, car.at.y + front * h.y};
  const float ahead = (p.x - from.x) * h.x + (p.y - from.y) * h.y,
              aside = (p.y - from.y) * h.x - (p.x - from.x) * h.y;
  if (ahead <= 0 || ahead > beam_length) return 0;
  const float wide = 0.9f + 0.22f * ahead, k = aside / wide, far = ahead / half_way;
  if (k * k > 9) return 0;
  return beam_strength * std::min(ahead, 1.f) * std::exp(-k * k) / (1 + far * far) *
         (1 - ahead / beam_length);
}

} // namespace

Beams::Beams(const Settings &s, const Camera &camera) : width_(s.width), camera_(camera) {
  for (int y = 0; y < s.height; y++)
    for (int x = 0; x < s.width; x++) ground_.push_back(foot_of(camera, float(x) + 0.5f, float(y) + 0.5f));
}

Beams::Frame::Frame(const Beams &all, const std::vector<Actor> &actors) : all_(all) {
  for (const Actor &a : actors)
    if (a.kind == Kind::car && a.since < 0) {
      cars_.push_back(a);
      add_glare(a);
    }
}

void Beams::Frame::add_glare(const Actor &car) {
  const ScenePoint h = car.heading;
  for (const float l : {-lamp_aside, lamp_aside}) {
    const Camera::Seen lamp =
        all_.camera_.see({car.at.x + front * h.x - l * h.y, car.at.y + front * h.y + l * h.x, lamp_height});
    if (lamp.scale <= 0) continue;
    veil_.add(lamp.at, lamp.at, 0.45f * lamp.scale, glare_colour, 0.3f);
    veil_.add(lamp.at, lamp.at, 0.14f * lamp.scale, glare_colour, 0.95f);
  }
}

Rgb Beams::Frame::light(int x, int y) const {
  const ScenePoint at = all_.ground_[std::size_t(y) * std::size_t(all_.width_) + std::size_t(x)];
  float beams = 0;
  for (const Actor &car : cars_) beams += beam(car, at);
  return beam_light * beams;
}

void Beams::Frame::glare(const ColourRow &row, int y) const {
  veil_.row(row, all_.width_, y);
}

} // namespace vigil::scene
