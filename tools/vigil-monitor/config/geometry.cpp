// SPDX-License-Identifier: LGPL-2.1-or-later
#include "geometry.h"

#include "common/error.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <system_error>

namespace vigil::monitor {
namespace {

std::string_view trimmed(std::string_view s) {
  while (!s.empty() && (s.front() == ' ' || s.front() == '\t')) s.remove_prefix(1);
  while (!s.empty() && (s.back() == ' ' || s.back() == '\t')) s.remove_suffix(1);
  return s;
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
  for (std::size_t i = 0; i < n; i++)
    for (std::size_t j = i + 1; j < n; j++)
      if (p[i] == p[j])
        fail(Error::Kind::bad_setting, "corners ", i + 1, " and ", j + 1, " are the same point");
  if (const auto sides = rules::crossing_sides(p))
    fail(Error::Kind::bad_setting, "the edges after corners ", sides->first + 1, " and ", sides->second + 1,
         " cross");
  constexpr double smallest = 1e-6; // of the picture
  if (rules::area(p) < smallest) fail(Error::Kind::bad_setting, "the polygon has no area");
}

void check_line(const std::vector<Point> &p) {
  if (p.size() != 2) fail(Error::Kind::bad_setting, "a line has 2 points, this one has ", p.size());
  if (p[0] == p[1]) fail(Error::Kind::bad_setting, "both points of the line are the same");
}

std::vector<Point> past_lower_border(const std::vector<Point> &polygon) {
  constexpr double below = 1.2; // by more than any hysteresis of boxrules
  std::vector<Point> out;
  for (std::size_t i = 0; i < polygon.size(); i++) {
    const Point a = polygon[i], b = polygon[(i + 1) % polygon.size()];
    out.push_back(a);
    if (a.y < 1 || b.y < 1) continue;
    out.push_back({a.x, below});
    out.push_back({b.x, below});
  }
  return out;
}

} // namespace vigil::monitor
