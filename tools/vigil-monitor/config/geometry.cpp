// SPDX-License-Identifier: LGPL-2.1-or-later
#include "geometry.h"

#include "common/error.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <system_error>
#include <utility>

namespace vigil::monitor {
namespace {

std::string_view trimmed(std::string_view s) {
  while (!s.empty() && (s.front() == ' ' || s.front() == '\t')) s.remove_prefix(1);
  while (!s.empty() && (s.back() == ' ' || s.back() == '\t')) s.remove_suffix(1);
  return s;
}

double cross(Point o, Point a, Point b) {
  return (a.x - o.x) * (b.y - o.y) - (a.y - o.y) * (b.x - o.x);
}

bool on_segment(Point a, Point b, Point p) {
  return std::min(a.x, b.x) <= p.x && p.x <= std::max(a.x, b.x) && std::min(a.y, b.y) <= p.y &&
         p.y <= std::max(a.y, b.y);
}

// Two segments have a point in common.
bool meet(Point a, Point b, Point c, Point d) {
  const double abc = cross(a, b, c), abd = cross(a, b, d), cda = cross(c, d, a), cdb = cross(c, d, b);
  if (((abc > 0) != (abd > 0)) && ((cda > 0) != (cdb > 0)) && abc != 0 && abd != 0 && cda != 0 && cdb != 0)
    return true;
  return (abc == 0 && on_segment(a, b, c)) || (abd == 0 && on_segment(a, b, d)) ||
         (cda == 0 && on_segment(c, d, a)) || (cdb == 0 && on_segment(c, d, b));
}

// Where the line through a and b crosses the horizontal line at y.
double crossing(Point a, Point b, double y) {
  return (b.x - a.x) * (y - a.y) / (b.y - a.y) + a.x;
}

} // namespace

std::vector<Point> parse_points(std::string_view text) {
  std::vector<double> values;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t comma = std::min(text.find(',', from), text.size());
    const std::string_view word = trimmed(text.substr(from, comma - from));
    double v = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), v);
    if (error != std::errc() || end != word.data() + word.size() || !std::isfinite(v))
      fail(Error::Kind::bad_setting, "coordinates have '", word.substr(0, 40),
           "' where a number is expected; write x1,y1,x2,y2,...");
    if (v < 0 || v > 1)
      fail(Error::Kind::bad_setting, "coordinate ", v,
           " lies outside of the picture; coordinates go from 0 to 1");
    values.push_back(v);
    if (values.size() > 2 * max_corners) fail(Error::Kind::bad_setting, "more than ", max_corners, " points");
    from = comma + 1;
  }
  if (values.size() % 2)
    fail(Error::Kind::bad_setting, values.size(), " coordinates are no whole points; write x1,y1,x2,y2,...");
  std::vector<Point> points;
  for (std::size_t i = 0; i < values.size(); i += 2) points.push_back({values[i], values[i + 1]});
  return points;
}

std::string points_text(const std::vector<Point> &points) {
  std::string out;
  char number[32];
  const auto add = [&](double v) {
    if (!out.empty()) out += ',';
    out.append(number, std::to_chars(number, number + sizeof number, v).ptr);
  };
  for (const Point p : points) add(p.x), add(p.y);
  return out;
}

void check_polygon(const std::vector<Point> &p) {
  const std::size_t n = p.size();
  if (n < 3) fail(Error::Kind::bad_setting, "a polygon has at least 3 corners, this one has ", n);
  double area = 0;
  for (std::size_t i = 0; i < n; i++) area += p[i].x * p[(i + 1) % n].y - p[(i + 1) % n].x * p[i].y;
  for (std::size_t i = 0; i < n; i++)
    for (std::size_t j = i + 1; j < n; j++) {
      const bool neighbours = j == i + 1 || (i == 0 && j == n - 1);
      if (p[i] == p[j])
        fail(Error::Kind::bad_setting, "corners ", i + 1, " and ", j + 1, " are the same point");
      if (!neighbours && meet(p[i], p[(i + 1) % n], p[j], p[(j + 1) % n]))
        fail(Error::Kind::bad_setting, "the edges after corners ", i + 1, " and ", j + 1, " cross");
    }
  constexpr double smallest = 1e-6; // of the picture
  if (std::abs(area) / 2 < smallest) fail(Error::Kind::bad_setting, "the polygon has no area");
}

void check_line(const std::vector<Point> &p) {
  if (p.size() != 2) fail(Error::Kind::bad_setting, "a line has 2 points, this one has ", p.size());
  if (p[0] == p[1]) fail(Error::Kind::bad_setting, "both points of the line are the same");
}

bool inside(const std::vector<Point> &polygon, Point p) {
  bool in = false;
  for (std::size_t i = 0, j = polygon.size() - 1; i < polygon.size(); j = i++) {
    const Point a = polygon[i], b = polygon[j];
    if ((a.y > p.y) != (b.y > p.y) && p.x < crossing(a, b, p.y)) in = !in;
  }
  return in;
}

std::vector<std::uint8_t> draw_masks(const std::vector<std::vector<Point>> &polygons, int width, int height) {
  std::vector<std::uint8_t> out(static_cast<std::size_t>(width) * static_cast<std::size_t>(height), 255);
  // The first pixel of a row that is not left of `x`, by the comparison that inside() makes.
  const auto first_from = [width](double x) {
    const auto left = [&](int pixel) { return (pixel + 0.5) / width < x; };
    int at = std::clamp(static_cast<int>(std::ceil(x * width - 0.5)), 0, width);
    while (at > 0 && !left(at - 1)) at--;
    while (at < width && left(at)) at++;
    return at;
  };
  // The row from whose centre on y is not above; likewise.
  const auto first_row = [height](double y) {
    const auto above = [&](int row) { return !(y > (row + 0.5) / height); };
    int at = std::clamp(static_cast<int>(std::ceil(y * height - 0.5)), 0, height);
    while (at > 0 && above(at - 1)) at--;
    while (at < height && !above(at)) at++;
    return at;
  };
  // Where edges cross the centre line of each row. An edge is asked for the rows alone that it crosses.
  std::vector<std::vector<std::pair<int, int>>> spans(static_cast<std::size_t>(height));
  std::vector<std::vector<double>> crossings(static_cast<std::size_t>(height)); // of one polygon
  for (const auto &polygon : polygons) {
    int top = height, bottom = 0;
    for (std::size_t i = 0, j = polygon.size() - 1; i < polygon.size(); j = i++) {
      const Point a = polygon[i], b = polygon[j];
      const int from = first_row(std::min(a.y, b.y)), to = first_row(std::max(a.y, b.y));
      for (int row = from; row < to; row++)
        crossings[static_cast<std::size_t>(row)].push_back(crossing(a, b, (row + 0.5) / height));
      top = std::min(top, from);
      bottom = std::max(bottom, to);
    }
    for (int row = top; row < bottom; row++) {
      auto &at = crossings[static_cast<std::size_t>(row)];
      std::sort(at.begin(), at.end());
      for (std::size_t i = 0; i + 1 < at.size(); i += 2)
        spans[static_cast<std::size_t>(row)].emplace_back(first_from(at[i]), first_from(at[i + 1]));
      at.clear();
    }
  }
  // How many more polygons a pixel is in than the one left of it: so no pixel is filled twice.
  std::vector<int> more(static_cast<std::size_t>(width) + 1);
  for (int row = 0; row < height; row++) {
    const auto &in_row = spans[static_cast<std::size_t>(row)];
    if (in_row.empty()) continue;
    int first = width, last = 0;
    for (const auto &[from, to] : in_row) {
      more[static_cast<std::size_t>(from)]++;
      more[static_cast<std::size_t>(to)]--;
      first = std::min(first, from);
      last = std::max(last, to);
    }
    std::uint8_t *const pixels = out.data() + static_cast<std::size_t>(row) * static_cast<std::size_t>(width);
    int in = 0;
    for (int x = first; x <= last; x++) {
      in += std::exchange(more[static_cast<std::size_t>(x)], 0);
      if (in > 0) pixels[x] = 0;
    }
  }
  return out;
}

} // namespace vigil::monitor
