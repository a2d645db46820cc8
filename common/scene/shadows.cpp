// SPDX-License-Identifier: LGPL-2.1-or-later
#include "common/scene/objects.h"

#include <algorithm>

namespace vigil::scene {
namespace {

constexpr float least_softness = 0.06f; // metres

ScenePoint fall(const World &p, const Sun &sun) {
  return {p.u + p.y * sun.shift.x, p.v + p.y * sun.shift.y};
}

// The part of the screen that holds a box on the ground; false when it reaches behind the camera.
bool screen_box(const Bounds &ground, const Camera &camera, Bounds &box) {
  bool first = true;
  for (const ScenePoint p :
       {ScenePoint{ground.left, ground.top}, ScenePoint{ground.right, ground.top},
        ScenePoint{ground.left, ground.bottom}, ScenePoint{ground.right, ground.bottom}}) {
    const Camera::Seen seen = camera.see({p.x, p.y, 0});
    if (seen.scale <= 0) return false;
    if (first) box = {seen.at.x, seen.at.y, seen.at.x, seen.at.y};
    box = {std::min(box.left, seen.at.x), std::min(box.top, seen.at.y), std::max(box.right, seen.at.x),
           std::max(box.bottom, seen.at.y)};
    first = false;
  }
  box = {box.left - 2, box.top - 2, box.right + 2, box.bottom + 2};
  return true;
}

} // namespace

void add_shadow(const World &a, float radius_a, const World &b, float radius_b, const Camera &camera,
                const Sun &sun, Drawing &out) {
  const ScenePoint pa = fall(a, sun), pb = fall(b, sun);
  const float softness = std::max(least_softness, sun.blur * std::max(a.y, b.y));
  const float reach = std::max(radius_a, radius_b) + softness;
  Shadow s{Shape::Kind::capsule, {}, softness, capsule(pa, radius_a, pb, radius_b), {}};
  if (screen_box({std::min(pa.x, pb.x) - reach, std::min(pa.y, pb.y) - reach, std::max(pa.x, pb.x) + reach,
                  std::max(pa.y, pb.y) + reach},
                 camera, s.box))
    out.shadows.push_back(s);
}

void add_shadow(std::span<const World> points, const Camera &camera, const Sun &sun, Drawing &out) {
  ScenePoint fallen[max_corners];
  Bounds ground{};
  float height = 0;
  const auto n = std::min<std::size_t>(points.size(), max_corners);
  for (std::size_t i = 0; i < n; i++) {
    const ScenePoint p = fallen[i] = fall(points[i], sun);
    height = std::max(height, points[i].y);
    if (i == 0) ground = {p.x, p.y, p.x, p.y};
    ground = {std::min(ground.left, p.x), std::min(ground.top, p.y), std::max(ground.right, p.x),
              std::max(ground.bottom, p.y)};
  }
  const float softness = std::max(least_softness, sun.blur * height);
  Shadow s{Shape::Kind::convex, {}, softness, {}, hull_of({fallen, n})};
  if (screen_box(
          {ground.left - softness, ground.top - softness, ground.right + softness, ground.bottom + softness},
          camera, s.box))
    out.shadows.push_back(s);
}

} // namespace vigil::scene
