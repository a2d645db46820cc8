// SPDX-License-Identifier: LGPL-2.1-or-later
#include "crossings.h"

#include "common/error.h"

namespace vigil::demo {

void Crossings::hear(const GstStructure *s) {
  const bool found = gst_structure_has_name(s, "line-cross");
  if (!found && !gst_structure_has_name(s, "truth-cross")) return;
  const gchar *name = gst_structure_get_string(s, "line");
  const gchar *direction = gst_structure_get_string(s, "direction");
  if (!name || !direction) return;
  Line &line = lines_[name];
  Count &count = found ? line.found : line.truth;
  (g_str_equal(direction, "forward") ? count.forward : count.backward)++;
}

std::string Crossings::report(bool truth) const {
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
