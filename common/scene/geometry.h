// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

namespace vigil::scene {

struct ScenePoint { // on the screen in pixels (x right, y down), or on the ground in metres (x: u, y: v)
  float x, y;
};
struct World { // metres: u along the street, v away from the camera, y up
  float u, v, y;
};
struct Rgb { // 0..255
  float r, g, b;
};
constexpr Rgb operator*(const Rgb &c, float k) {
  return {c.r * k, c.g * k, c.b * k};
}
constexpr Rgb operator+(const Rgb &a, const Rgb &b) {
  return {a.r + b.r, a.g + b.g, a.b + b.b};
}
constexpr Rgb blend(const Rgb &a, const Rgb &b, float share_of_b) {
  return a * (1 - share_of_b) + b * share_of_b;
}

} // namespace vigil::scene
