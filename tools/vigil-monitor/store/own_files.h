// SPDX-License-Identifier: LGPL-2.1-or-later
// Files of the storage folder that come and go.
#pragma once

#include "common/error.h"

#include <cerrno>
#include <cstring>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

namespace vigil::monitor {

// Only what is certainly not there is gone: a file that cannot be looked at may come back.
inline bool is_gone(const std::string &path) {
  struct stat info {};
  return lstat(path.c_str(), &info) != 0 && errno == ENOENT;
}

// Removes a file. Throws Error::write when it is still there.
inline void remove_file(const std::string &path) {
  if (unlink(path.c_str()) == 0 || errno == ENOENT) return;
  fail(Error::Kind::write, "cannot delete ", path, ": ", std::strerror(errno));
}

} // namespace vigil::monitor
