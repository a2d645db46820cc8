// SPDX-License-Identifier: LGPL-2.1-or-later
// A track as the tracker reports it.
#pragma once

#include "kernels/track/box.h"

#include <cstdint>

namespace vigil::track {

enum class State {
  tentative, // not confirmed, and not reported
  tracked,   // found in this frame
  grouped,   // in one box with others; the place is an estimate
  predicted, // not found; the place is an estimate
};
const char *name_of(State);

struct Object {
  std::uint64_t id = 0; // from 1 on, in order of confirmation; never used twice
  Box box;
  double vx = 0, vy = 0; // of the centre, px/s
  // How far it came before it was reported, px: since it was first seen and, hidden in others' boxes, before.
  double came_x = 0, came_y = 0;
  double first_seen = 0, last_seen = 0; // seconds
  State state = State::tentative;
  bool stationary = false;
  int detection = -1;      // the box in this frame, of a group as well; -1: predicted. Of parts the first
  std::uint64_t group = 0; // the least id of its group, 0: in none
  std::uint32_t label = 0; // of its boxes
};

inline const char *name_of(State s) {
  switch (s) {
  case State::tentative:
    return "tentative";
  case State::tracked:
    return "tracked";
  case State::grouped:
    return "grouped";
  case State::predicted:
    return "predicted";
  }
  return "unknown";
}

} // namespace vigil::track
