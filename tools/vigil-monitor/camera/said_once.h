// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstddef>
#include <set>
#include <string>

namespace vigil::monitor {

// Whether a text is new, for warnings that come again and again. Remembers a limited number of texts; after
// that none is new.
class SaidOnce {
 public:
  bool first(const std::string &text) {
    constexpr std::size_t most = 1000;
    return said_.size() < most && said_.insert(text).second;
  }

 private:
  std::set<std::string> said_;
};

} // namespace vigil::monitor
