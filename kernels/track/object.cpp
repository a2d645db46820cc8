// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/track/object.h"

namespace vigil::track {

const char *name_of(State s) {
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
