// SPDX-License-Identifier: LGPL-2.1-or-later
// What is printed.
#pragma once

#include "micro.h"
#include "tunables.h"

namespace vigil::tune {

struct Tuned {
  std::string kernel, what;
  tuning::Result result;
};
void print(const Tuned &); // one table, as soon as it is there
void print(const std::vector<Measurement> &);
std::string json(const ClDevice &, const std::vector<Tuned> &, const std::vector<Measurement> &);

} // namespace vigil::tune
