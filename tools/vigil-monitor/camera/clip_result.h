// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstdint>
#include <string>

namespace vigil::monitor {

struct ClipResult {
  bool good = false;
  std::string why;  // it is not, or it is not whole
  double start = 0; // seconds since 1970 UTC, of its first frame
  std::int64_t bytes = 0;
};

} // namespace vigil::monitor
