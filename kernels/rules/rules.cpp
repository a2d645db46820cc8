// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/rules/rules.h"

#include "common/error.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <nlohmann/json.hpp>

namespace vigil::rules {
namespace {

using Json = nlohmann::json;

template <class... Parts>
[[noreturn]] void refuse(const Parts &...parts) {
  fail(Error::Kind::bad_setting, parts...);
}

Json read(std::string_view text) {
  if (text.size() > largest_text)
    refuse("the rules have ", text.size(), " bytes; ", largest_text, " are the most");
  // Deep nesting would exhaust the stack of a parser that builds values.
  int depth = 0, deepest = 0;
  for (const char c : text) {
    if (c == '[' || c == '{') deepest = std::max(deepest, ++depth);
    if (c == ']' || c == '}') depth--;
  }
  if (deepest > 64) refuse("the rules are nested ", deepest, " deep; they need no more than 6");
  try {
    return Json::parse(text);
  } catch (const Json::parse_error &e) {
    const std::size_t at = std::min(e.byte > 0 ? e.byte - 1 : 0, text.size());
    const std::string_view before = text.substr(0, at);
    const auto line = 1 + std::count(before.begin(), before.end(), '\n');
    const std::size_t start = before.rfind('\n');
    const std::size_t column = start == std::string_view::npos ? at + 1 : at - start;
    std::string why = e.what();
    if (const std::size_t colon = why.find(": "); colon != std::string::npos) why = why.substr(colon + 2);
    refuse("the rules are no JSON: line ", line, ", column ", column, ": ", why);
  }
}

const char *kind(const Json &j) {
  return j.type_name();
}

void members(const Json &j, const std::string &of, std::initializer_list<const char *> known) {
  if (!j.is_object()) refuse(of, " is ", kind(j), ", not an object");
  for (const auto &member : j.items()) {
    const std::string &name = member.key();
    if (std::none_of(known.begin(), known.end(), [&](const char *k) { return name == k; })) {
      std::string all;
      for (const char *k : known) all += (all.empty() ? "" : ", ") + std::string(k);
      refuse(of, " has a member \"", name, "\", which is not known; there are ", all);
    }
  }
}

double number(const Json &j, const char *name, const std::string &of, double least, double most) {
  const auto found = j.find(name);
  if (found == j.end()) return 0;
  if (!found->is_number()) refuse(of, ": ", name, " is ", kind(*found), ", not a number");
  const double v = found->get<double>();
  if (!(v >= least && v <= most)) refuse(of, ": ", name, " is ", v, ", outside of ", least, " to ", most);
  return v;
}

std::string word(const Json &j, const char *name, const std::string &of) {
  const auto found = j.find(name);
  if (found == j.end() || !found->is_string() || found->get_ref<const std::string &>().empty())
    refuse(of, " has no ", name);
  const auto &w = found->get_ref<const std::string &>();
  if (w.size() > 128) refuse(of, ": ", name, " has ", w.size(), " bytes; 128 are the most");
  if (w.find('\0') != std::string::npos) refuse(of, ": ", name, " holds a zero byte");
  return w;
}

std::vector<Point> points(const Json &j, const char *name, const std::string &of, std::size_t least) {
  const auto found = j.find(name);
  if (found == j.end() || !found->is_array()) refuse(of, " has no list ", name);
  if (found->size() < least || found->size() > most_points)
    refuse(of, ": ", name, " has ", found->size(), " points; ", least, " to ", most_points, " are needed");
  std::vector<Point> list;
  for (const Json &p : *found) {
    if (!p.is_array() || p.size() != 2 || !p[0].is_number() || !p[1].is_number())
      refuse(of, ": point ", list.size() + 1, " of ", name, " is not [x, y]");
    list.push_back({p[0].get<double>(), p[1].get<double>()});
    if (!(std::abs(list.back().x) <= 1e6 && std::abs(list.back().y) <= 1e6))
      refuse(of, ": point ", list.size(), " of ", name, " is further than 1000000 away");
  }
  return list;
}

void check_inside(std::span<const Point> list, const std::string &of, double width, double height) {
  double left = 1e9, right = -1e9, top = 1e9, bottom = -1e9;
  for (const Point p : list) {
    left = std::min(left, p.x);
    right = std::max(right, p.x);
    top = std::min(top, p.y);
    bottom = std::max(bottom, p.y);
  }
  if (right < 0 || bottom < 0 || left > width || top > height)
    refuse(of, " lies outside of the picture: x ", left, " to ", right, " of ", width, ", y ", top, " to ",
           bottom, " of ", height);
}

std::vector<std::string> words(const Json &j, const char *name, const std::string &of) {
  std::vector<std::string> out;
  const auto found = j.find(name);
  if (found == j.end()) return out;
  if (!found->is_array()) refuse(of, ": ", name, " is ", kind(*found), ", not a list");
  for (const Json &c : *found) {
    if (!c.is_string()) refuse(of, ": ", name, " holds ", kind(c), ", not words alone");
    out.push_back(c.get<std::string>());
  }
  return out;
}

Filter filter(const Json &j, const std::string &of) {
  Filter f;
  f.min_height = number(j, "min-height", of, 0, 1e6);
  f.max_height = number(j, "max-height", of, 0, 1e6);
  if (f.max_height > 0 && f.max_height < f.min_height)
    refuse(of, ": max-height ", f.max_height, " is below min-height ", f.min_height);
  f.classes = words(j, "classes", of);
  f.labels = words(j, "labels", of);
  return f;
}

std::optional<Direction> direction(const Json &j, const char *name, const std::string &of) {
  const auto found = j.find(name);
  if (found == j.end()) return {};
  for (const Direction d : {Direction::forward, Direction::backward})
    if (*found == name_of(d)) return d;
  refuse(of, ": ", name, " is ", found->dump(), ", not \"forward\" or \"backward\"");
}

Zone zone(const Json &j, Units units) {
  if (!j.is_object()) refuse("a zone is ", kind(j), ", not an object");
  Zone z;
  z.name = word(j, "name", "a zone");
  const std::string of = "zone \"" + z.name + "\"";
  members(j, of,
          {"name", "polygon", "classes", "labels", "min-height", "max-height", "loitering", "crowd",
           "left-object", "max-speed"});
  z.polygon = points(j, "polygon", of, 3);
  if (crossing_sides(z.polygon)) refuse(of, ": the polygon crosses itself; give its corners in order");
  if (area(z.polygon) <= 0) refuse(of, ": the polygon has no area");
  if (units == Units::normalised) check_inside(z.polygon, of, 1, 1);
  z.filter = filter(j, of);
  z.loitering = number(j, "loitering", of, 0, 1e6);
  z.left_object = number(j, "left-object", of, 0, 1e6);
  z.max_speed = number(j, "max-speed", of, 0, 1e6);
  if (const auto crowd = j.find("crowd"); crowd != j.end()) {
    members(*crowd, of + ": crowd", {"count", "seconds"});
    z.crowd_count = static_cast<int>(number(*crowd, "count", of + ": crowd", 1, 10000));
    z.crowd_seconds = number(*crowd, "seconds", of + ": crowd", 0, 1e6);
  }
  return z;
}

Line line(const Json &j, Units units) {
  if (!j.is_object()) refuse("a line is ", kind(j), ", not an object");
  Line l;
  l.name = word(j, "name", "a line");
  const std::string of = "line \"" + l.name + "\"";
  members(j, of, {"name", "points", "classes", "labels", "min-height", "max-height", "wrong-way"});
  l.points = points(j, "points", of, 2);
  for (std::size_t i = 0; i + 1 < l.points.size(); i++)
    if (l.points[i] == l.points[i + 1]) refuse(of, ": points ", i + 1, " and ", i + 2, " are the same");
  if (units == Units::normalised) check_inside(l.points, of, 1, 1);
  l.filter = filter(j, of);
  l.wrong_way = direction(j, "wrong-way", of);
  return l;
}

Ground ground(const Json &j) {
  const std::string of = "ground";
  members(j, of, {"picture", "metres"});
  Ground g;
  const auto picture = points(j, "picture", of, 4), metres = points(j, "metres", of, 4);
  if (picture.size() != 4 || metres.size() != 4) refuse("ground: picture and metres need four points each");
  std::copy(picture.begin(), picture.end(), g.picture.begin());
  std::copy(metres.begin(), metres.end(), g.metres.begin());
  Homography h;
  if (!h.from(g.picture, g.metres)) refuse("ground: three of the four points lie on a line");
  return g;
}

template <class T>
const char *choice(const Json &j, const char *name, T &value,
                   std::initializer_list<std::pair<const char *, T>> known) {
  const auto found = j.find(name);
  if (found == j.end()) return nullptr;
  std::string all;
  for (const auto &[word, meaning] : known) {
    if (*found == word) {
      value = meaning;
      return word;
    }
    all += (all.empty() ? "" : " or ") + std::string(word);
  }
  refuse(name, " is ", found->dump(), ", not ", all);
}

void check_names(const Rules &r) {
  std::vector<std::string_view> names;
  for (const Zone &z : r.zones) names.push_back(z.name);
  for (const Line &l : r.lines) names.push_back(l.name);
  if (names.size() > most_rules)
    refuse("there are ", names.size(), " zones and lines; ", most_rules, " are the most");
  std::sort(names.begin(), names.end());
  if (const auto twice = std::adjacent_find(names.begin(), names.end()); twice != names.end())
    refuse("the name \"", *twice, "\" is there twice");
}

Json json_of(std::span<const Point> list) {
  Json j = Json::array();
  for (const Point p : list) j.push_back({p.x, p.y});
  return j;
}

void add(Json &j, const Filter &f) {
  if (!f.classes.empty()) j["classes"] = f.classes;
  if (!f.labels.empty()) j["labels"] = f.labels;
  if (f.min_height > 0) j["min-height"] = f.min_height;
  if (f.max_height > 0) j["max-height"] = f.max_height;
}

// JSON errors beyond syntax (numbers too large for a double, wrong encodings) have no place in the text.
template <class Fn>
auto checked(Fn &&fn) {
  try {
    return fn();
  } catch (const Json::exception &e) {
    refuse("the rules cannot be used: ", e.what());
  }
}

template <class T>
void put_into(std::vector<T> &list, T value) {
  const auto found = std::find_if(list.begin(), list.end(), [&](const T &v) { return v.name == value.name; });
  if (found == list.end())
    list.push_back(std::move(value));
  else
    *found = std::move(value);
}

} // namespace

const char *name_of(Direction d) {
  return d == Direction::forward ? "forward" : "backward";
}

Rules parse(std::string_view text) {
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) return {};
  return checked([&] {
    const Json j = read(text);
    Rules r;
    members(j, "the text", {"units", "anchor", "zones", "lines", "ground"});
    choice(j, "units", r.units, {{"normalised", Units::normalised}, {"pixels", Units::pixels}});
    choice(j, "anchor", r.anchor, {{"bottom", Anchor::bottom}, {"centre", Anchor::centre}});
    for (const char *list : {"zones", "lines"})
      if (j.contains(list) && !j[list].is_array()) refuse(list, " is ", kind(j[list]), ", not a list");
    if (j.contains("zones"))
      for (const Json &z : j["zones"]) r.zones.push_back(zone(z, r.units));
    if (j.contains("lines"))
      for (const Json &l : j["lines"]) r.lines.push_back(line(l, r.units));
    if (j.contains("ground")) r.ground = ground(j["ground"]);
    check_names(r);
    return r;
  });
}

Zone parse_zone(std::string_view text, Units units) {
  return checked([&] { return zone(read(text), units); });
}
Line parse_line(std::string_view text, Units units) {
  return checked([&] { return line(read(text), units); });
}

std::string to_text(const Rules &r) {
  Json j = Json::object();
  j["units"] = r.units == Units::pixels ? "pixels" : "normalised";
  j["anchor"] = r.anchor == Anchor::centre ? "centre" : "bottom";
  for (const Zone &z : r.zones) {
    Json k = {{"name", z.name}, {"polygon", json_of(z.polygon)}};
    add(k, z.filter);
    if (z.loitering > 0) k["loitering"] = z.loitering;
    if (z.left_object > 0) k["left-object"] = z.left_object;
    if (z.max_speed > 0) k["max-speed"] = z.max_speed;
    if (z.crowd_count > 0) k["crowd"] = {{"count", z.crowd_count}, {"seconds", z.crowd_seconds}};
    j["zones"].push_back(k);
  }
  for (const Line &l : r.lines) {
    Json k = {{"name", l.name}, {"points", json_of(l.points)}};
    add(k, l.filter);
    if (l.wrong_way) k["wrong-way"] = name_of(*l.wrong_way);
    j["lines"].push_back(k);
  }
  if (r.ground)
    j["ground"] = {{"picture", json_of(r.ground->picture)}, {"metres", json_of(r.ground->metres)}};
  return j.dump(-1, ' ', false, Json::error_handler_t::replace);
}

void put(Rules &r, Zone z) {
  Rules changed = r;
  put_into(changed.zones, std::move(z));
  check_names(changed);
  r = std::move(changed);
}
void put(Rules &r, Line l) {
  Rules changed = r;
  put_into(changed.lines, std::move(l));
  check_names(changed);
  r = std::move(changed);
}

bool remove(Rules &r, std::string_view name) {
  return std::erase_if(r.zones, [&](const Zone &z) { return z.name == name; }) +
             std::erase_if(r.lines, [&](const Line &l) { return l.name == name; }) >
         0;
}

Rules in_pixels(const Rules &rules, double width, double height) {
  Rules r = rules;
  r.units = Units::pixels;
  const bool scale = rules.units == Units::normalised;
  const auto convert = [&](std::span<Point> list, Filter *f) {
    if (!scale) return;
    for (Point &p : list) p = {p.x * width, p.y * height};
    if (!f) return;
    f->min_height *= height;
    f->max_height *= height;
  };
  for (Zone &z : r.zones) {
    convert(z.polygon, &z.filter);
    check_inside(z.polygon, "zone \"" + z.name + "\"", width, height);
  }
  for (Line &l : r.lines) {
    convert(l.points, &l.filter);
    check_inside(l.points, "line \"" + l.name + "\"", width, height);
  }
  if (r.ground) convert(r.ground->picture, nullptr);
  return r;
}

} // namespace vigil::rules
