// SPDX-License-Identifier: LGPL-2.1-or-later
// The files of the page, compiled in.
#pragma once

#include <span>
#include <string_view>

namespace vigil::monitor {

struct PageFile {
  std::string_view path, type, tag, bytes; // "/index.html", its media type, a hash
};
std::span<const PageFile> page_files();

} // namespace vigil::monitor
