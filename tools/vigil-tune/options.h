// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace vigil::tune {

struct Options {
  std::string device;              // as the elements' property
  std::string only;                // kernels of this name
  std::vector<std::string> chains; // to tune as well
  bool list = false, json = false, exhaustive = false, clear = false;
  bool tune = true, micro = true;
  // Of the process that vigil-tune starts to measure (micro_apart.h); empty: this is not that one.
  std::string measure_into;
  std::size_t first_group = 0;
};
// Throws Error::bad_setting.
Options parse_options(int argc, char **argv);

} // namespace vigil::tune
