// SPDX-License-Identifier: LGPL-2.1-or-later
// One export from begin to end: ranges of the recording to files.
#pragma once

#include "../recording/segment.h"
#include "export_job.h"
#include "export_output.h"

#include <functional>
#include <string>
#include <vector>

namespace vigil::monitor {

// What exports are made of.
struct ExportSource {
  // What was recorded of a camera within a time (microseconds), with fragments, in order.
  std::function<std::vector<Segment>(const std::string &camera, std::int64_t from, std::int64_t to)> segments;
  std::function<std::string(const Segment &)> file;
  ExportRoom room;
};

// Makes the files in `folder`, which is there, and returns them: one for each camera, or several where its
// stream changed meanwhile. Throws Error with the reason, ExportCancelled; files that are whole stay then.
std::vector<ExportFile> run_export(const ExportRequest &, const ExportSource &, const std::string &folder,
                                   ExportProgress &);

} // namespace vigil::monitor
