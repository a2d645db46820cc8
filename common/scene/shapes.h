// SPDX-License-Identifier: LGPL-2.1-or-later
// What objects and their shadows are made of: capsules and convex polygons, both known by the distance to
// their border. Cover at a pixel is that distance, in pixels, + 1/2, cut to 0..1: edges are smoothed over one
// pixel.
#pragma once

#include "common/scene/geometry.h"

#include <span>
#include <vector>

namespace vigil::scene {

inline constexpr int max_corners = 16;

// A line with round ends whose radius changes from one end to the other.
struct Capsule {
  ScenePoint a, along; // one end, and the way to the other
  float inverse_length2;
  float radius, widening; // at a, and what the other end has more
};
Capsule capsule(ScenePoint a, float radius_a, ScenePoint b, float radius_b);

// The points where normal * (x, y) + offset >= 0 for all edges; normals have length 1.
struct Convex {
  int edges;
  float nx[max_corners], ny[max_corners], offset[max_corners];
};
// The convex hull of 3 to max_corners points.
Convex hull_of(std::span<const ScenePoint>);

struct Bounds { // screen, pixels
  float left, top, right, bottom;
};

// A piece of an object on the screen.
struct Shape {
  enum class Kind { capsule, convex } kind;
  Bounds box;
  Rgb colour;
  float volume; // capsules: how much brighter the side towards the light is than the other, relative
  Capsule round;
  Convex flat;
};

// The shadow of a piece on the ground, in metres. It fades from its core to nothing over `softness`.
struct Shadow {
  Shape::Kind kind;
  Bounds box; // on the screen
  float softness;
  Capsule round;
  Convex flat;
};

// What one frame shows, far things first. Objects are runs of shapes.
struct Drawing {
  std::vector<Shape> shapes;
  std::vector<Shadow> shadows;
  void clear() {
    shapes.clear();
    shadows.clear();
  }
  void add_capsule(ScenePoint a, float radius_a, ScenePoint b, float radius_b, const Rgb &,
                   float volume = 0.35f);
  void add_hull(std::span<const ScenePoint>, const Rgb &);
};

// Cover and shade (a factor for the colour) of the pixels first .. last-1 of row y.
void cover_row(const Shape &, int y, int first, int last, float *cover, float *shade);

// Raises shade[x] (0 none .. 1 core) to that of the shadow, for pixels first .. last-1 of a row whose centres
// lie on the ground at start + x * step. `footprint`: metres that a pixel covers; softness is at least that.
void shadow_row(const Shadow &, ScenePoint start, ScenePoint step, float footprint, int first, int last,
                float *shade);

} // namespace vigil::scene
