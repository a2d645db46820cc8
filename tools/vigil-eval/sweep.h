// SPDX-License-Identifier: LGPL-2.1-or-later
// The values of a sweep over one property.
#pragma once

#include <string>
#include <vector>

namespace vigil::eval {

struct Sweep {
  std::string property;
  std::vector<double> values; // rising, no two the same
};

// PROPERTY=LOW..HIGH[:STEPS][:log|:lin]: STEPS values (12) from LOW to HIGH, both included, with equal ratios
// (log, the default) or equal distances (lin).
// Throws Error::bad_setting, saying what is wrong with which part.
Sweep parse_sweep(const std::string &words);
// For properties that hold integers: rounds the values and drops the doubles.
void round_to_integers(Sweep &);

} // namespace vigil::eval
