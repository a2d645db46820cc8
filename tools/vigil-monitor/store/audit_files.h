// SPDX-License-Identifier: LGPL-2.1-or-later
// Names of the audit log's files: the one that is written, number 0, and the older ones, of which 1 is the
// newest.
#pragma once

#include <string>

namespace vigil::monitor {

inline constexpr int old_audit_files = 5;

inline std::string audit_file(const std::string &file, int number) {
  return number ? file + "." + std::to_string(number) : file;
}

} // namespace vigil::monitor
