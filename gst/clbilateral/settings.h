// SPDX-License-Identifier: LGPL-2.1-or-later
// Everything that can be set at a clbilateral, but what all OpenCL elements have. The defaults are the initialisers in the
// kernel's Params.
#pragma once

#include "gst/transform/opencl.h"
#include "gst/transform/opencl_tuning.h"
#include "kernels/bilateral/bilateral.h"

namespace vigil::gst::clbilateral {

struct Settings {
  bilateral::Params params;
  tuning::Mode tune = tuning::Mode::automatic;
  ClChoice backend = ClChoice::automatic;
};

// All of them but those of the base class. Made once, in class_init.
const Properties<Settings> &properties();

} // namespace vigil::gst::clbilateral
