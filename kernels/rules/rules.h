// SPDX-License-Identifier: LGPL-2.1-or-later
// What an operator asks of a picture, as text:
//
//   {"units": "normalised",                       of all points: of the picture's width and height (0..1), or
//                                                 "pixels"
//    "anchor": "bottom",                          the point of a box that counts: bottom (middle of the lower
//                                                 edge) or centre
//    "zones": [{"name": "door", "polygon": [[0.1, 0.5], [0.4, 0.5], [0.4, 0.9]],
//               "classes": ["person"], "min-height": 0.05, "max-height": 0.5,     of the objects that count;
//               heights in units
//               "labels": ["post van"],           likewise, as tracklabel calls them
//               "loitering": 20,                  seconds in the zone after which it is reported
//               "crowd": {"count": 5, "seconds": 3},
//               "left-object": 10,                seconds for which what somebody put down stands before it
//                                                 is reported
//               "max-speed": 8}],                 metres (with ground) or pixels a second
//    "lines": [{"name": "gate", "points": [[0.5, 0], [0.5, 1]], "classes": [], "min-height": 0,
//               "wrong-way": "backward"}],        a direction that is reported as wrong
//    "ground": {"picture": [[x, y], four of them], "metres": [[x, y], four of them]}}
//
// All but names and points may be left out. A crossing is "forward" when it goes to the right hand of a
// person who looks along the line from its first point to its last, else "backward". Source of the form: this
// project.
//
// Errors are Error::bad_setting with line and column of the text, or the name of the rule, and the reason:
// wrong JSON, members that are not known, names that are there twice, polygons with fewer than three points,
// without area or that cross themselves, lines without length, values out of range, zones and lines that lie
// wholly outside of the picture (normalised ones here, those in pixels when the size is known).
#pragma once

#include "kernels/rules/geometry.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace vigil::rules {

enum class Units { normalised, pixels };
enum class Anchor { bottom, centre };
enum class Direction { forward, backward };
const char *name_of(Direction);

// Which objects count; no classes or no labels: all of them. Heights in the rules' units, 0: no limit.
struct Filter {
  std::vector<std::string> classes, labels;
  double min_height = 0, max_height = 0;
  bool operator==(const Filter &) const = default;
};
struct Zone {
  std::string name;
  std::vector<Point> polygon;
  Filter filter;
  double loitering = 0; // seconds; this and the following: 0 is off
  int crowd_count = 0;
  double crowd_seconds = 0, left_object = 0, max_speed = 0;
  bool operator==(const Zone &) const = default;
};
struct Line {
  std::string name;
  std::vector<Point> points;
  Filter filter;
  std::optional<Direction> wrong_way;
  bool operator==(const Line &) const = default;
};
struct Ground {
  std::array<Point, 4> picture, metres;
  bool operator==(const Ground &) const = default;
};
struct Rules {
  Units units = Units::normalised;
  Anchor anchor = Anchor::bottom;
  std::vector<Zone> zones;
  std::vector<Line> lines;
  std::optional<Ground> ground;
  bool operator==(const Rules &) const = default;
};

inline constexpr std::size_t largest_text = 1 << 20, most_rules = 256, most_points = 256;

// An empty text has no rules.
Rules parse(std::string_view json);
Zone parse_zone(std::string_view json, Units); // one member of "zones"
Line parse_line(std::string_view json, Units); // one member of "lines"
// The text of rules; parse() gives the same rules again.
std::string to_text(const Rules &);
// Puts a zone or a line in the place of the one with its name, or at the end. False from remove() when there
// is none of that name.
void put(Rules &, Zone);
void put(Rules &, Line);
bool remove(Rules &, std::string_view name);
// The rules in pixels of a picture of this size. Throws for rules in pixels that lie outside of it.
Rules in_pixels(const Rules &, double width, double height);

} // namespace vigil::rules
