// SPDX-License-Identifier: LGPL-2.1-or-later
// Everything that can be set at a clbilateral. The defaults are the initialisers here and in the kernel's
// Params.
#pragma once

#include "gst/clbilateral/filter_properties.h"
#include "gst/transform/opencl_selector.h"
#include "gst/transform/opencl_tuning.h"
#include "gst/transform/pipeline_depth.h"

namespace vigil::gst::clbilateral {

// What the range weights come from.
enum class Guide { none, background };
struct GuideSettings {
  float weight = 0.9f, motion = 0.03f; // bilateral::GuideParams
};

struct Settings {
  bilateral::Params params;
  Guide guide = Guide::none;
  GuideSettings guiding;
  tuning::Mode tune = tuning::Mode::automatic;
  ClChoice backend = ClChoice::automatic;
  std::string device;
  CudaChoice cuda;
  AsyncDepth flow;
};

// All of them but stats, which no one can set. Made once, in class_init.
const Properties<Settings> &properties();

} // namespace vigil::gst::clbilateral
