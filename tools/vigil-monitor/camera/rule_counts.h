// SPDX-License-Identifier: LGPL-2.1-or-later
// How many objects are in each zone, and how many crossed each line, as boxrules counts them; and the rules
// that boxrules gets. Knows no GStreamer.
#pragma once

#include "../config/config.h"

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace vigil::monitor {

class RuleCounts {
 public:
  struct Crossed {
    std::uint64_t in = 0, out = 0;
  };
  struct LineTotals {
    Crossed all;
    std::map<std::string, Crossed> labels; // of tracks that have one
  };
  // boxrules' `rules`. To it zones and lines have names of one kind; here a line may have a zone's.
  static std::string rules(const CameraConfig &);
  // The line's name here; empty when boxrules' name is no line's.
  static std::string line_of(const std::string &name_in_rules);

  void set_inside(const std::string &zone, int count) { inside_[zone] = count; }
  void set_crossed(const std::string &line, std::uint64_t in, std::uint64_t out) {
    crossed_[line].all = {in, out};
  }
  void add_crossed(const std::string &line, const std::string &label, bool in);
  nlohmann::json line(const std::string &) const; // {"in", "out", "labels": {NAME: {"in", "out"}}}
  void keep_shapes(const CameraConfig &);         // a shape that is gone and made again begins at nothing
  void forget();
  std::vector<std::string> occupied() const; // zones with an object in them
  nlohmann::json describe(const CameraConfig &, bool counted) const;

 private:
  std::map<std::string, int> inside_;
  std::map<std::string, LineTotals> crossed_; // since the connection began
};

} // namespace vigil::monitor
