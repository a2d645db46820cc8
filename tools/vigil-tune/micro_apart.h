// SPDX-License-Identifier: LGPL-2.1-or-later
// The microbenchmarks in a process of their own. A driver may end the process that starts a kernel, without
// reporting an error: PoCL 6 does so when it loads a kernel and does not find a function that it calls.
// vigil-tune therefore starts itself once more to measure (common/opencl/helper.h). When that process ends
// before its work is done, the rest of its group counts as not measured, and another process goes on with the
// next group.
#pragma once

#include "micro.h"

#include <string>
#include <vector>

namespace vigil::tune {

// All groups. Throws Error::device when no process can be started or none opens the device, Error::write when
// there is no place for a temporary file.
std::vector<Measurement> microbenchmarks_apart(const ClDevice &);

// The part of the process that measures: writes what it finds to `path`, one JSON object a line, at once.
void microbenchmarks_into(const std::string &path, ClDevice &, std::size_t first);

} // namespace vigil::tune
