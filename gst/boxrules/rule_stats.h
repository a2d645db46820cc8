// SPDX-License-Identifier: LGPL-2.1-or-later
// The values of the property `stats`. On any thread; the lock is held for moments.
#pragma once

#include "kernels/rules/rule_engine.h"

#include <cstddef>
#include <gst/gst.h>
#include <mutex>
#include <string>
#include <vector>

namespace vigil::gst::boxrules {

class RuleStats {
 public:
  void restart();
  void set_rules(const rules::Rules &); // their counts are 0
  void count_frame(std::size_t tracks);
  // Adds the events of the engine's last step() or finish(), and copies the counts of its rules.
  void count_events(const rules::RuleEngine &);
  GstStructure *structure() const;

 private:
  struct ZoneStats {
    std::string name;
    rules::ZoneCount count;
  };
  struct LineStats {
    std::string name;
    rules::LineTotal total;
  };

  mutable std::mutex mutex_;
  guint64 frames_ = 0, tracks_ = 0, events_ = 0;
  std::vector<ZoneStats> zones_;
  std::vector<LineStats> lines_;
};

} // namespace vigil::gst::boxrules
