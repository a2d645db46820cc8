// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "demo.h"
#include "probes.h"
#include "tools/base/pipeline.h"

#include <string>

namespace vigil::demo {

// The frames of Options::input, decoded, and cut after so many; gives the last element of them.
GstElement *add_input(tools::Pipeline &, const Options &, Limit &);

// Makes the folder, and removes what an earlier demo left in it. Throws Error::io.
void clear_old_results(const std::string &folder);

} // namespace vigil::demo
