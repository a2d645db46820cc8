// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "common/device.h"
#include "common/plane.h"

namespace vigil::registration {

// fill_border() on a CUDA device.
void fill_border_cuda(Device &, const Image &, int pixels, Queue &);

} // namespace vigil::registration
