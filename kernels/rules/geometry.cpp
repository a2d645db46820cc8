// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/rules/geometry.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace vigil::rules {

double side(Point a, Point b, Point p) {
  return (b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x);
}

int crossing(Point a, Point b, Point p, Point q) {
  const bool from = side(a, b, p) >= 0, to = side(a, b, q) >= 0;
  if (from == to || (side(p, q, a) >= 0) == (side(p, q, b) >= 0)) return 0;
  return to ? 1 : -1;
}

double distance(Point a, Point b) {
  return std::hypot(a.x - b.x, a.y - b.y);
}

double distance_to_segment(Point a, Point b, Point p) {
  const double dx = b.x - a.x, dy = b.y - a.y, squared = dx * dx + dy * dy;
  const double at = squared > 0 ? std::clamp(((p.x - a.x) * dx + (p.y - a.y) * dy) / squared, 0., 1.) : 0;
  return std::hypot(p.x - a.x - at * dx, p.y - a.y - at * dy);
}

double distance_to_line(std::span<const Point> corners, Point p) {
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i + 1 < corners.size(); i++)
    least = std::min(least, distance_to_segment(corners[i], corners[i + 1], p));
  return least;
}

double x_at(Point a, Point b, double y) {
  return (b.x - a.x) * (y - a.y) / (b.y - a.y) + a.x;
}

bool contains(std::span<const Point> polygon, Point p) {
  bool inside = false;
  for (std::size_t i = 0, j = polygon.size() - 1; i < polygon.size(); j = i++) {
    const Point a = polygon[i], b = polygon[j];
    if ((a.y > p.y) != (b.y > p.y) && p.x < x_at(a, b, p.y)) inside = !inside;
  }
  return inside;
}

double distance_to_border(std::span<const Point> polygon, Point p) {
  double least = distance_to_line(polygon, p);
  if (polygon.size() > 1) least = std::min(least, distance_to_segment(polygon.back(), polygon.front(), p));
  return least;
}

std::optional<std::pair<std::size_t, std::size_t>> crossing_sides(std::span<const Point> polygon) {
  const std::size_t n = polygon.size();
  const auto touch = [](Point a, Point b, Point c, Point d) {
    const auto sign = [](double v) { return (v > 0) - (v < 0); };
    const int s1 = sign(side(a, b, c)), s2 = sign(side(a, b, d)), s3 = sign(side(c, d, a)),
              s4 = sign(side(c, d, b));
    if (s1 == 0 && s2 == 0) // on one line
      return std::max(std::min(a.x, b.x), std::min(c.x, d.x)) <=
                 std::min(std::max(a.x, b.x), std::max(c.x, d.x)) &&
             std::max(std::min(a.y, b.y), std::min(c.y, d.y)) <=
                 std::min(std::max(a.y, b.y), std::max(c.y, d.y));
    return s1 * s2 <= 0 && s3 * s4 <= 0;
  };
  for (std::size_t i = 0; i < n; i++)
    for (std::size_t j = i + 2; j < n; j++)
      if ((j + 1) % n != i && touch(polygon[i], polygon[(i + 1) % n], polygon[j], polygon[(j + 1) % n]))
        return std::pair(i, j);
  return {};
}

double area(std::span<const Point> polygon) {
  double twice = 0;
  for (std::size_t i = 0; i < polygon.size(); i++) {
    const Point a = polygon[i], b = polygon[(i + 1) % polygon.size()];
    twice += a.x * b.y - a.y * b.x;
  }
  return std::abs(twice) / 2;
}

bool go_along(Point v, Point u, double share) {
  return std::hypot(v.x - u.x, v.y - u.y) < share * std::max(std::hypot(v.x, v.y), std::hypot(u.x, u.y));
}

bool Homography::from(std::span<const Point, 4> picture, std::span<const Point, 4> ground) {
  for (const auto &points : {picture, ground}) {
    double widest = 0;
    for (const Point p : points) widest = std::max(widest, std::hypot(p.x - points[0].x, p.y - points[0].y));
    for (std::size_t skip = 0; skip < 4; skip++) {
      const Point a = points[(skip + 1) % 4], b = points[(skip + 2) % 4], c = points[(skip + 3) % 4];
      if (!(std::abs(side(a, b, c)) > 1e-6 * widest * widest)) return false;
    }
  }
  // Gaussian elimination of: x h0 + y h1 + h2 - X x h6 - X y h7 = X, and the same for Y
  // The last number is 1, which it can be as long as the origin is not on the horizon: the middle of the
  // points never is.
  origin_ = {};
  for (const Point p : picture) origin_ = {origin_.x + p.x / 4, origin_.y + p.y / 4};
  double m[8][9];
  for (std::size_t i = 0; i < 4; i++) {
    const double x = picture[i].x - origin_.x, y = picture[i].y - origin_.y;
    const auto [gx, gy] = ground[i];
    const double rows[2][9] = {{x, y, 1, 0, 0, 0, -gx * x, -gx * y, gx},
                               {0, 0, 0, x, y, 1, -gy * x, -gy * y, gy}};
    std::copy(rows[0], rows[0] + 9, m[2 * i]);
    std::copy(rows[1], rows[1] + 9, m[2 * i + 1]);
  }
  for (int c = 0; c < 8; c++) {
    int pivot = c;
    for (int r = c + 1; r < 8; r++)
      if (std::abs(m[r][c]) > std::abs(m[pivot][c])) pivot = r;
    if (m[pivot][c] == 0) return false;
    if (pivot != c)
      for (int k = 0; k < 9; k++) std::swap(m[c][k], m[pivot][k]);
    for (int r = 0; r < 8; r++) {
      if (r == c) continue;
      const double f = m[r][c] / m[c][c];
      for (int k = c; k < 9; k++) m[r][k] -= f * m[c][k];
    }
  }
  for (std::size_t i = 0; i < 8; i++) h_[i] = m[i][8] / m[i][i];
  h_[8] = 1;
  return true;
}

Point Homography::ground(Point p) const {
  const double x = p.x - origin_.x, y = p.y - origin_.y, w = h_[6] * x + h_[7] * y + h_[8];
  return {(h_[0] * x + h_[1] * y + h_[2]) / w, (h_[3] * x + h_[4] * y + h_[5]) / w};
}

} // namespace vigil::rules
