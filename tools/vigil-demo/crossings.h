// SPDX-License-Identifier: LGPL-2.1-or-later
// Crossings of lines as boxrules reports them (line-cross), compared with those that scenetestsrc draws
// (truth-cross).
#pragma once

#include "common/error.h"

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

inline void Crossings::hear(const GstStructure *s) {
  const bool found = gst_structure_has_name(s, "line-cross");
  if (!found && !gst_structure_has_name(s, "truth-cross")) return;
  const gchar *name = gst_structure_get_string(s, "line");
  const gchar *direction = gst_structure_get_string(s, "direction");
  if (!name || !direction) return;
  Line &line = lines_[name];
  Count &count = found ? line.found : line.truth;
  (g_str_equal(direction, "forward") ? count.forward : count.backward)++;
}

inline std::string Crossings::report(bool truth) const {
  const auto words = [](const Count &c) { return text(c.forward, " forward, ", c.backward, " backward"); };
  std::string all;
  for (const auto &[name, line] : lines_) {
    all += text("line ", name, ": ", words(line.found));
    if (truth) all += text("; truth: ", words(line.truth));
    all += '\n';
  }
  return all.empty() ? "no line was crossed\n" : all;
}

} // namespace vigil::demo
