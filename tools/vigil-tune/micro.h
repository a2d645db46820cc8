// SPDX-License-Identifier: LGPL-2.1-or-later
// Small measurements that tell what a device is good at.
#pragma once

#include "common/opencl/device.h"

#include <functional>
#include <string>
#include <vector>

namespace vigil::tune {

struct Measurement {
  std::string group, name;
  double value = 0;
  std::string unit;
  std::string missing; // why there is no value; empty: there is one
};
// What a run of the measurements tells while it goes on.
struct Listener {
  std::function<void(std::size_t group)> begins;
  std::function<void(const Measurement &)> measured;
};
// The names of the groups, in the order in which they are measured.
std::vector<std::string> micro_groups();
// Measures the groups from the number `first` on. What a device reports that it cannot do is listed in its
// place. Takes a second or two, on processors some more. A driver may end the process meanwhile
// (micro_apart.h).
void microbenchmarks(ClDevice &, std::size_t first, const Listener &);

} // namespace vigil::tune
