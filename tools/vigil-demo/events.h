// SPDX-License-Identifier: LGPL-2.1-or-later
// Element messages as JSON lines: {"type": "motion-begin", "running_time": 1.2, "changed_fraction": 0.03,
// "boxes": [{"x": ..., "y": ..., "width": ..., "height": ..., "area": ...}]}. Times are in seconds. Fields
// are taken as the message has them, with underscores for dashes, so a new element's messages need no code
// here; its field "type" is called object_type.
#pragma once

#include <cstdint>
#include <fstream>
#include <gst/gst.h>
#include <map>
#include <string>

namespace vigil::demo {

struct Summary {
  std::string element, input;
  std::uint64_t frames;
  double frames_per_second;    // of the whole demo
  double element_milliseconds; // a frame, median
  double f_measure;            // NaN: no truth; left out
};

class EventLog {
 public:
  // Throws Error::write when the file cannot be made.
  explicit EventLog(const std::string &path);
  void write(const GstStructure *);
  // The last line, of type "summary".
  void finish(const Summary &);
  const std::map<std::string, int> &counts() const { return counts_; }

 private:
  std::ofstream file_;
  std::map<std::string, int> counts_;
};

} // namespace vigil::demo
