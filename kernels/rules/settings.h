// SPDX-License-Identifier: LGPL-2.1-or-later
// The parameters of the rule engine, with their ranges and documentation.
#pragma once

#include "common/params.h"

#include <tuple>

namespace vigil::rules {

struct Settings {
  float hysteresis = 8.f;
  int settle_time = 100, hand_over = 1000;
  bool operator==(const Settings &) const = default;

  double settle_seconds() const { return settle_time / 1000.; }
  double hand_over_seconds() const { return hand_over / 1000.; }
};
inline constexpr auto settings_table = std::tuple{
    param("hysteresis", "Hysteresis",
          "Pixels that an object must be past a line or a zone's border, to count as past it. Higher: an "
          "object that jitters on it counts less often",
          &Settings::hysteresis, 0.f, 10000.f),
    param("settle-time", "Settle time",
          "Milliseconds that an object must be past a line or a zone's border, to count as past it",
          &Settings::settle_time, 0, 60000),
    param("hand-over", "Hand over",
          "Milliseconds after the end of a track in which one that begins at its place is the same object. "
          "A track that ends in a zone is reported as leaving after this time. 0: never",
          &Settings::hand_over, 0, 60000),
};

} // namespace vigil::rules
