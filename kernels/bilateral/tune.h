// SPDX-License-Identifier: LGPL-2.1-or-later
// Which variant of the exact filter is fastest on a device: the tuner's candidates.
#pragma once

#include "common/tuning/tuner.h"
#include "kernels/bilateral/opencl.h"

namespace vigil::bilateral {

struct Tuned {
  const Variant *variant;
  tuning::Result result;
};
// Cases are distinguished by colour or not, the weighting, and classes of radii (1..2, 3..4, 5..8, 9..16,
// more). Where the grid does the work, nothing is searched: it has no variants. tile-4-constant is no
// candidate: it would be compiled again whenever sigma changes.
Tuned tune(ClDevice &, PixelFormat, const Params &, tuning::Mode, const tuning::Limits & = {});

} // namespace vigil::bilateral
