// SPDX-License-Identifier: LGPL-2.1-or-later
// What the tracks before a camera are called now, and how many have each label. Knows no GStreamer.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace vigil::monitor {

class TrackLabels {
 public:
  // A track has this label now, empty: none, or has ended. Returns the labels whose counts have changed.
  std::set<std::string> set(std::uint64_t track, const std::string &label, bool ended);
  // Labels that are counted, be it at 0, as well as those that a track has had since the start.
  // True when they are others than before.
  bool set_names(const std::vector<std::string> &);
  bool take_new() { return std::exchange(new_, false); } // a label was seen for the first time
  void forget();                                         // all tracks

  // Empty: the track is not known, or has no label.
  std::string of(std::uint64_t track) const;
  int count(const std::string &label) const;
  nlohmann::json describe(bool by_shape) const; // {"person": 2}; `by_shape`: also its labels, be it at 0

 private:
  std::map<std::uint64_t, std::string> tracks_; // those that have a label
  std::map<std::string, int> counts_;
  std::set<std::string> names_, seen_;
  bool new_ = false;
};

} // namespace vigil::monitor
