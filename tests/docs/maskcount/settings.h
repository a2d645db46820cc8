// SPDX-License-Identifier: LGPL-2.1-or-later
// What can be set, and the properties made of it.
#pragma once

#include "gst/properties.h"
#include "gst/transform/pipeline_depth.h"

#include <tuple>

namespace vigil::gst::maskcount {

struct Tuning {
  int every = 1;
  int min_area = 50;
};
inline constexpr auto tuning_table = std::tuple{
    param("every", "Every", "Only each n-th mask is counted, the first one among them; the others pass by",
          &Tuning::every, 1, 1000),
    param("min-area", "Least area", "Foreground pixels that a blob has at least", &Tuning::min_area, 1,
          1000000),
};
struct Settings {
  Tuning tuning;
  AsyncDepth flow;
};

inline const Properties<Settings> &properties() {
  static const Properties<Settings> made = [] {
    Properties<Settings> p;
    p.table(&Settings::tuning, tuning_table, Change::live);
    p.table(&Settings::flow, async_depth_table, Change::playing);
    return p;
  }();
  return made;
}

} // namespace vigil::gst::maskcount
