// SPDX-License-Identifier: LGPL-2.1-or-later
// What the stages of a chain cost on a device, measured there: what split() decides by. Each kind of stencil
// is timed once for each device, driver, format and shape, and kept in the cache of the tuner: a kernel with
// it alone, less a kernel that only copies. So a chain of stages that were met before is cut without
// measuring.
#pragma once

#include "kernels/filter/opencl.h"

#include <optional>

namespace vigil::filter {

// For the stencils of the chain, in order. None when fewer than two, where there is nothing to decide; when
// `measure` is off and one of them was never measured; and where measuring fails, as when one of them alone
// does not fit the device.
std::optional<Costs> device_costs(ClDevice &, const Chain &, PixelFormat, const Shape &, bool measure);

} // namespace vigil::filter
