// SPDX-License-Identifier: LGPL-2.1-or-later
// The parameters of the tracker, with their ranges and documentation.
#pragma once

#include "common/params.h"

#include <tuple>

namespace vigil::track {

struct Params {
  int confirm_after = 250, lost_after = 2000, stationary_after = 3000, stationary_hold = 60000;
  float max_speed = 3.f, agility = 0.7f, jitter = 0.08f;
  bool groups = true, pairs = true;
  bool operator==(const Params &) const = default;
};
inline constexpr auto params_table = std::tuple{
    param("confirm-after", "Confirm after",
          "Milliseconds that an object must be found, in half of the frames, before it is a track. Higher: "
          "fewer false tracks, and later ones",
          &Params::confirm_after, 0, 60000),
    param("lost-after", "Lost after",
          "Milliseconds after which a moving track that is not found any more ends", &Params::lost_after, 0,
          600000),
    param("stationary-after", "Stationary after",
          "Milliseconds without moving by a quarter of its size after which a track is stationary",
          &Params::stationary_after, 100, 3600000),
    param("stationary-hold", "Stationary hold",
          "Milliseconds after which a stationary track that is not found any more ends",
          &Params::stationary_hold, 0, 86400000),
    param("max-speed", "Speed of new objects",
          "Standard deviation of the speed of an object seen for the first time, in its own sizes a second "
          "(size: root of width times height). Low frame rates and fast objects need more",
          &Params::max_speed, 0.1f, 100.f),
    param("agility", "Agility",
          "How much the velocity of an object changes within a second, in its own sizes a second",
          &Params::agility, 0.01f, 100.f),
    param("jitter", "Jitter of boxes",
          "Standard deviation of the edges of boxes, as a part of the object's size", &Params::jitter, 0.001f,
          1.f),
    param("groups", "Groups",
          "Whether tracks whose objects enter one box go on in it as a group. false: for detectors whose "
          "boxes never hold two objects",
          &Params::groups),
    param("pairs", "Pairs",
          "Whether a blob that looks like two people side by side becomes two tracks. Needs groups, and "
          "boxes with their blob's moments, as cudamog makes them",
          &Params::pairs),
};

constexpr double in_seconds(int milliseconds) {
  return milliseconds / 1000.;
}

} // namespace vigil::track
