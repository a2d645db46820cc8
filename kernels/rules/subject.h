// SPDX-License-Identifier: LGPL-2.1-or-later
// What a frame brings to the rules: tracks, and ghosts.
#pragma once

#include "kernels/track/object.h"

#include <string_view>

namespace vigil::rules {

struct Subject {
  track::Object object;
  std::string_view type;    // must stay until the next step
  std::string_view label{}; // what it is called (tracklabel), empty: nothing so far; stays as `type`
};
struct Ghost { // kernels/ghost
  track::Box box;
  std::string_view type; // as a Subject's
};

} // namespace vigil::rules
