// SPDX-License-Identifier: LGPL-2.1-or-later
// The command line of a tool, by GLib's option parser.
#pragma once

#include <glib.h>
#include <string>
#include <vector>

namespace vigil::tools {

struct Usage {
  std::string program;      // as it is called for help: "vigil-train codebook"
  std::string arguments;    // behind the options: "FILE..."
  std::string summary;      // stands above the options
  std::string details = {}; // stands below them
  bool of_gstreamer = true; // starts GStreamer, and takes its options
};
// `entries` say where values go, and need no empty one at the end. --help prints and ends the program. Throws
// Error::bad_setting, which names --help.
void parse_options(const Usage &, std::vector<GOptionEntry> entries, int argc, char **argv);

// Throws Error::bad_setting, naming the option, unless least <= value <= most.
void check_range(const char *option, double value, double least, double most);

std::vector<std::string> words_of(gchar **list); // null is an empty one

} // namespace vigil::tools
