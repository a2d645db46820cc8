// SPDX-License-Identifier: LGPL-2.1-or-later
// Crossings of lines as boxrules reports them (line-cross), compared with those that scenetestsrc draws
// (truth-cross).
#pragma once

#include <gst/gst.h>
#include <map>
#include <string>

namespace vigil::demo {

class Crossings {
 public:
  void hear(const GstStructure *); // other messages are passed over
  // A line of text for each line that was heard of, without the truth where there is none.
  std::string report(bool truth) const;

 private:
  struct Count {
    int forward = 0, backward = 0;
  };
  struct Line {
    Count found, truth;
  };
  std::map<std::string, Line> lines_;
};

} // namespace vigil::demo
