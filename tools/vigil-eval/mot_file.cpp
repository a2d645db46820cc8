// SPDX-License-Identifier: LGPL-2.1-or-later
#include "mot_file.h"

#include "common/error.h"
#include "common/file.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <system_error>

namespace vigil::eval {
namespace {

constexpr std::size_t largest_file = std::size_t{1} << 30;
constexpr const char *columns[] = {"frame", "id", "left", "top", "width", "height"};
constexpr std::size_t needed = 6;

struct Line {
  std::array<double, needed> value{};
  std::size_t count = 0;
};

Line parse_line(std::string_view line, const std::string &name, int number) {
  Line l;
  while (l.count < l.value.size() && !line.empty()) {
    const std::size_t end = std::min(line.find(','), line.size());
    std::string_view word = line.substr(0, end);
    while (!word.empty() && (word.front() == ' ' || word.front() == '+')) word.remove_prefix(1);
    while (!word.empty() && word.back() == ' ') word.remove_suffix(1);
    const auto [rest, problem] = std::from_chars(word.data(), word.data() + word.size(), l.value[l.count]);
    if (problem != std::errc{} || rest != word.data() + word.size() || !std::isfinite(l.value[l.count]))
      fail(Error::Kind::bad_data, name, ", line ", number, ": ", columns[l.count], " is \"",
           std::string(word), "\", which is no number");
    l.count++;
    line.remove_prefix(std::min(end + 1, line.size()));
  }
  if (l.count < needed)
    fail(Error::Kind::bad_data, name, ", line ", number, " ends before ", columns[l.count],
         "; frame,id,left,top,width,height are needed");
  return l;
}

void add(MotTracks &tracks, const Line &l, const std::string &name, int number) {
  const auto &v = l.value;
  if (v[0] < 1 || v[0] > last_mot_frame || v[0] != std::floor(v[0]))
    fail(Error::Kind::bad_data, name, ", line ", number, ": frame ", v[0],
         " is not a whole number from 1 to ", last_mot_frame);
  if (std::abs(v[1]) > 1e15 || v[1] != std::floor(v[1]))
    fail(Error::Kind::bad_data, name, ", line ", number, ": id ", v[1], " is not a whole number");
  if (v[4] <= 0 || v[5] <= 0)
    fail(Error::Kind::bad_data, name, ", line ", number, ": the box is ", v[4], " x ", v[5],
         ", which is no size");
  auto &boxes = tracks[static_cast<int>(v[0])];
  const long id = static_cast<long>(v[1]);
  if (std::any_of(boxes.begin(), boxes.end(), [&](const MotBox &b) { return b.id == id; }))
    fail(Error::Kind::bad_data, name, ", line ", number, ": frame ", v[0], " has id ", id, " twice");
  boxes.push_back({id, {v[2], v[3], v[4], v[5]}});
}

} // namespace

MotTracks parse_mot(std::string_view text, const std::string &name) {
  MotTracks tracks;
  for (int number = 1; !text.empty(); number++) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    if (line.find_first_not_of(" \t") == std::string_view::npos) continue;
    add(tracks, parse_line(line, name, number), name, number);
  }
  return tracks;
}

MotTracks read_mot(const std::string &path) {
  const auto bytes = read_plain_file(path, "the file of tracks", 0,
                                     [](std::span<const std::uint8_t>) { return largest_file; });
  return parse_mot({reinterpret_cast<const char *>(bytes.data()), bytes.size()}, path);
}

} // namespace vigil::eval
