// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "source.h"
#include "sweep.h"

#include <optional>
#include <string>
#include <vector>

namespace vigil::eval {

struct Options {
  std::string description;
  std::vector<std::string> compared; // descriptions that are run on the same frames, for comparison
  std::vector<std::string> datasets;
  std::string format; // empty: negotiated
  FrameRate rate;
  unsigned warmup = 0;
  int patience_seconds = 60;
  std::string json, frames; // paths; empty: not written
  std::string
      tracks; // path of true tracks: then `datasets` are files of found ones, and there is no description
  double iou = 0.5; // of boxes that are taken for one, with `tracks`
  std::optional<Sweep> sweep;
  std::string out = "roc"; // prefix of the sweep's files
  bool version = false;
};

// Initialises GStreamer as well, whose own options are understood. Prints and exits with 0 on --help.
// Throws Error::bad_setting on anything that cannot be used.
Options parse_options(int argc, char **argv);

} // namespace vigil::eval
