// SPDX-License-Identifier: LGPL-2.1-or-later
// Points, polygons and lines of a picture: x to the right, y down, any unit.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <utility>

namespace vigil::rules {

struct Point {
  double x = 0, y = 0;
  bool operator==(const Point &) const = default;
};

// (b - a) x (p - a): above 0 when p is to the right of an observer who looks from a to b in the picture,
// below 0 on the left.
double side(Point a, Point b, Point p);
// Which way the step from p to q goes over the segment from a to b: +1 to its right hand, -1 to its left, 0
// not at all. A point exactly on a line counts as on its right hand, so that each way over it counts once,
// wherever it stops between; the same goes for the line's ends and corners seen from the step.
int crossing(Point a, Point b, Point p, Point q);
double distance(Point, Point);
double distance_to_segment(Point a, Point b, Point p);
double distance_to_line(std::span<const Point> corners, Point); // open
// x at height y of the line through a and b, which is not horizontal.
double x_at(Point a, Point b, double y);
// Inside by the even-odd rule; a point on an edge may count as either.
bool contains(std::span<const Point> polygon, Point);
double distance_to_border(std::span<const Point> polygon, Point); // of a closed polygon
// Two sides of a closed polygon that touch without being neighbours, each by the index of its first corner.
std::optional<std::pair<std::size_t, std::size_t>> crossing_sides(std::span<const Point> polygon);
double area(std::span<const Point> polygon); // without sign
// Whether two velocities differ by less than `share` of the faster one; never when nothing moves.
bool go_along(Point velocity, Point other, double share);

// A plane seen in perspective: (X, Y, W)' = H (x, y, 1)', X / W and Y / W on the ground.
// Source: R. Hartley, A. Zisserman, "Multiple View Geometry", 2004, 4.1: four points give its eight numbers.
class Homography {
 public:
  // False when three of the four points of a side lie on a line: then there is none.
  bool from(std::span<const Point, 4> picture, std::span<const Point, 4> ground);
  Point ground(Point picture) const;

 private:
  std::array<double, 9> h_{1, 0, 0, 0, 1, 0, 0, 0, 1};
  Point origin_; // of the picture's coordinates
};

} // namespace vigil::rules
