// SPDX-License-Identifier: LGPL-2.1-or-later
#include "common/scene/shapes.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace vigil::scene {
namespace {

// Twice the area of the triangle; its sign is the turn from o-a to o-b.
float turn(ScenePoint o, ScenePoint a, ScenePoint b) {
  return (a.x - o.x) * (b.y - o.y) - (a.y - o.y) * (b.x - o.x);
}

float clamp01(float x) {
  return std::min(std::max(x, 0.f), 1.f);
}

// How far inside the polygon a point is; exact where one edge is nearest, an upper bound outside its corners.
float inside(const Convex &s, float x, float y) {
  float d = s.nx[0] * x + s.ny[0] * y + s.offset[0];
  for (int i = 1; i < s.edges; i++) d = std::min(d, s.nx[i] * x + s.ny[i] * y + s.offset[i]);
  return d;
}

struct RoundHit {
  float inside, dx, radius; // dx: of the point from the axis
};
RoundHit inside(const Capsule &s, float x, float y) {
  const float px = x - s.a.x, py = y - s.a.y;
  const float t = clamp01((px * s.along.x + py * s.along.y) * s.inverse_length2);
  const float dx = px - t * s.along.x, dy = py - t * s.along.y, radius = s.radius + t * s.widening;
  return {radius - std::sqrt(dx * dx + dy * dy), dx, radius};
}

Bounds box_of(std::span<const ScenePoint> points) {
  Bounds b{points[0].x, points[0].y, points[0].x, points[0].y};
  for (const ScenePoint &p : points)
    b = {std::min(b.left, p.x), std::min(b.top, p.y), std::max(b.right, p.x), std::max(b.bottom, p.y)};
  return {b.left - 1, b.top - 1, b.right + 1, b.bottom + 1};
}

} // namespace

Capsule capsule(ScenePoint a, float radius_a, ScenePoint b, float radius_b) {
  const ScenePoint along{b.x - a.x, b.y - a.y};
  const float length2 = along.x * along.x + along.y * along.y;
  return {a, along, length2 > 1e-12f ? 1 / length2 : 0, radius_a, radius_b - radius_a};
}

Convex hull_of(std::span<const ScenePoint> points) {
  std::array<ScenePoint, max_corners> sorted;
  const int n = int(std::min<std::size_t>(points.size(), max_corners));
  std::copy_n(points.begin(), n, sorted.begin());
  std::ranges::sort(std::span(sorted).first(n),
                    [](ScenePoint a, ScenePoint b) { return a.x < b.x || (a.x == b.x && a.y < b.y); });
  // Andrew's monotone chain: the lower border from left to right, then the upper one back.
  std::array<ScenePoint, 2 * max_corners + 1> hull;
  int count = 0;
  for (int i = 0; i < n; i++) {
    while (count >= 2 && turn(hull[count - 2], hull[count - 1], sorted[i]) <= 0) count--;
    hull[count++] = sorted[i];
  }
  const int lower = count + 1;
  for (int i = n - 2; i >= 0; i--) {
    while (count >= lower && turn(hull[count - 2], hull[count - 1], sorted[i]) <= 0) count--;
    hull[count++] = sorted[i];
  }
  Convex result{};
  for (int i = 0; i + 1 < count; i++) {
    const float ex = hull[i + 1].x - hull[i].x, ey = hull[i + 1].y - hull[i].y, length = std::hypot(ex, ey);
    if (length < 1e-6f) continue;
    const int k = result.edges++;
    result.nx[k] = -ey / length;
    result.ny[k] = ex / length;
    result.offset[k] = -(result.nx[k] * hull[i].x + result.ny[k] * hull[i].y);
  }
  if (result.edges == 0) { // all points are one: nothing is inside
    result.edges = 1;
    result.offset[0] = -1e9f;
  }
  return result;
}

void Drawing::add_capsule(ScenePoint a, float radius_a, ScenePoint b, float radius_b, const Rgb &colour,
                          float volume) {
  const ScenePoint corners[] = {{a.x - radius_a, a.y - radius_a},
                                {a.x + radius_a, a.y + radius_a},
                                {b.x - radius_b, b.y - radius_b},
                                {b.x + radius_b, b.y + radius_b}};
  shapes.push_back(
      {Shape::Kind::capsule, box_of(corners), colour, volume, capsule(a, radius_a, b, radius_b), {}});
}

void Drawing::add_hull(std::span<const ScenePoint> points, const Rgb &colour) {
  shapes.push_back({Shape::Kind::convex, box_of(points), colour, 0, {}, hull_of(points)});
}

void cover_row(const Shape &s, int y, int first, int last, float *cover, float *shade) {
  const float py = float(y) + 0.5f;
  if (s.kind == Shape::Kind::capsule) {
    for (int x = first; x < last; x++) {
      const RoundHit hit = inside(s.round, float(x) + 0.5f, py);
      cover[x] = clamp01(hit.inside + 0.5f);
      shade[x] = 1 - s.volume * 0.5f * hit.dx / std::max(hit.radius, 0.5f); // the light comes from the left
    }
  } else {
    for (int x = first; x < last; x++) {
      cover[x] = clamp01(inside(s.flat, float(x) + 0.5f, py) + 0.5f);
      shade[x] = 1;
    }
  }
}

void shadow_row(const Shadow &s, ScenePoint start, ScenePoint step, float footprint, int first, int last,
                float *shade) {
  const float sharpness = 1 / std::max(s.softness, footprint);
  const auto raise = [&](int x, float depth) {
    const float t = clamp01(depth * sharpness + 0.5f);
    shade[x] = std::max(shade[x], t * t * (3 - 2 * t));
  };
  if (s.kind == Shape::Kind::capsule)
    for (int x = first; x < last; x++)
      raise(x, inside(s.round, start.x + float(x) * step.x, start.y + float(x) * step.y).inside);
  else
    for (int x = first; x < last; x++)
      raise(x, inside(s.flat, start.x + float(x) * step.x, start.y + float(x) * step.y));
}

} // namespace vigil::scene
