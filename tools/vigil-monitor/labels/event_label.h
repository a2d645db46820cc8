// SPDX-License-Identifier: LGPL-2.1-or-later
// What an event is called, and who says so.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace vigil::monitor {

inline constexpr double least_score = 0.5; // from which on an event is called so

struct EventLabel {
  enum class By { person, examples, shape, detector };
  std::string label;
  double score = 0; // 0..1; of a person's word 1, or 0: it is not that
  By by = By::shape;
  bool operator==(const EventLabel &) const = default;
};
using EventLabels = std::vector<EventLabel>; // the best first

inline nlohmann::json to_json(const EventLabel &l) {
  constexpr const char *words[] = {"person", "examples", "shape", "detector"};
  return {{"label", l.label},
          {"score", l.score},
          {"guessed", l.by != EventLabel::By::person},
          {"by", words[static_cast<int>(l.by)]}};
}

inline nlohmann::json to_json(const EventLabels &all) {
  nlohmann::json out = nlohmann::json::array();
  for (const EventLabel &l : all) out.push_back(to_json(l));
  return out;
}

} // namespace vigil::monitor
