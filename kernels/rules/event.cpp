// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/rules/event.h"

namespace vigil::rules {

const char *name_of(Kind k) {
  switch (k) {
  case Kind::zone_enter:
    return "zone-enter";
  case Kind::zone_leave:
    return "zone-leave";
  case Kind::zone_count:
    return "zone-count";
  case Kind::loitering:
    return "loitering";
  case Kind::crowd_begin:
  case Kind::crowd_end:
    return "crowd";
  case Kind::line_cross:
    return "line-cross";
  case Kind::wrong_way:
    return "wrong-way";
  case Kind::object_left:
    return "object-left";
  case Kind::object_removed:
    return "object-removed";
  case Kind::speed:
    return "speed";
  }
  return "unknown";
}

} // namespace vigil::rules
