// SPDX-License-Identifier: LGPL-2.1-or-later
// vigil-scan's two commands. All throw vigil::Error.
#pragma once

#include "tools/base/share.h"
#include "watch.h"

#include <cstdint>
#include <string>
#include <vector>

namespace vigil::scan {

struct ScanOptions {
  std::string out;
  std::vector<std::string> files; // files and folders
  std::vector<std::string> lists; // files with a path a line; "-" is the standard input
  Chain chain;
  Time split = 0;    // length of a part; 0: files stay whole
  int jobs = 1;      // files, or parts of them, at a time; as many more are opened ahead
  tools::Share task; // of the units
};

struct Outcome {
  int done = 0, skipped = 0, failed = 0, broken_off = 0; // files, or parts of them
};
// Files that cannot be read are named on stderr with the reason and left out.
Outcome scan(const ScanOptions &);

struct QueryOptions {
  std::vector<std::string> folders; // results of scan()
  std::string file;                 // like the frame of this file ...
  Time time = 0;                    // ... at this time
  int count = 10;
};
// Prints the most similar events, JSON lines, the best first.
void query(const QueryOptions &);

} // namespace vigil::scan
