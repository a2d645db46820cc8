// SPDX-License-Identifier: LGPL-2.1-or-later
// What there is to tune.
#pragma once

#include "common/opencl/device.h"
#include "common/tuning/tuner.h"

#include <functional>
#include <string>
#include <vector>

namespace vigil::tune {

struct Tunable {
  std::string kernel; // "filter"
  std::string what;   // the case: chain, format
  std::function<tuning::Result(ClDevice &, tuning::Mode, const tuning::Limits &)> run;
};
// All kernels in their usual cases, and the chains given.
std::vector<Tunable> tunables(const std::vector<std::string> &chains);

} // namespace vigil::tune
