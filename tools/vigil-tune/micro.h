// SPDX-License-Identifier: LGPL-2.1-or-later
// Small measurements that tell what a device is good at.
#pragma once

#include "common/opencl/device.h"

#include <string>
#include <vector>

namespace vigil::tune {

struct Measurement {
  std::string group, name;
  double value = 0;
  std::string unit;
  std::string missing; // why there is no value
};
// Takes a second or two, on processors some more.
std::vector<Measurement> microbenchmarks(ClDevice &);

} // namespace vigil::tune
