// SPDX-License-Identifier: LGPL-2.1-or-later
// The part of an event's stored picture that shows what moved, as names are learnt from it.
#pragma once

#include "../config/geometry.h"
#include "kernels/label/examples.h"

#include <string>

namespace vigil::monitor {

// `file`: JPEG; `box`: 0..1 of it. Empty: there is no such file, it cannot be decoded, or the box is outside.
label::Picture picture_in(const std::string &file, const Rect &box);

} // namespace vigil::monitor
