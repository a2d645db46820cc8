// SPDX-License-Identifier: LGPL-2.1-or-later
// What there is to know of files before the first of them is worked on.
#pragma once

#include "source_file.h"
#include "watch.h"

#include <exception>
#include <functional>
#include <string>
#include <vector>

namespace vigil::scan {

struct Surveyed {
  std::string path; // as it was given
  SourceFile file;
  Time duration = 0;        // 0: not known, or not asked for
  std::exception_ptr error; // why nothing is known of the file: look_at()'s, or duration_of()'s
};

using AskDuration = std::function<Time(const std::string &path)>; // on any thread

// In the order of the paths. Several files are looked at side by side: storage that answers slowly would make
// the sum of its answers the time until the work begins. An empty function asks for no durations.
std::vector<Surveyed> survey(const std::vector<std::string> &paths, const AskDuration &);

} // namespace vigil::scan
