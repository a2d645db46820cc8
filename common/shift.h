// SPDX-License-Identifier: LGPL-2.1-or-later
// How far a picture lies from another one, in whole pixels.
#pragma once

namespace vigil {

// Pixel (x, y) of the one shows what pixel (x - shift.x, y - shift.y) of the other does: positive values mean
// that its content lies further to the right and further down.
struct Shift {
  int x = 0, y = 0;
  bool operator==(const Shift &) const = default;
};

} // namespace vigil
