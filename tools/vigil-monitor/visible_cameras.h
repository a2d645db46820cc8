// SPDX-License-Identifier: LGPL-2.1-or-later
// The cameras that somebody may see: all of them, or those that are named.
#pragma once

#include <optional>
#include <set>
#include <string>

namespace vigil::monitor {

struct VisibleCameras {
  std::optional<std::set<std::string>> only; // empty: all
  bool all() const { return !only; }
  bool has(const std::string &camera) const { return !only || only->count(camera); }
  bool operator==(const VisibleCameras &) const = default;
};

} // namespace vigil::monitor
