// SPDX-License-Identifier: LGPL-2.1-or-later
// The files of the page, which are compiled into the program.
#pragma once

#include <optional>
#include <string_view>

namespace vigil::monitor {

struct Asset {
  std::string_view body; // lives as long as the program
  std::string_view type; // for Content-Type
};

// The file at this path of a URL, "/" being "/index.html"; nothing where there is none. Only whole names are found, so a path
// with ".." leads nowhere.
std::optional<Asset> page_asset(std::string_view path);

} // namespace vigil::monitor
