// SPDX-License-Identifier: LGPL-2.1-or-later
// Which bytes a file has, as far as that can be said without reading them. Empty: there is no file.
#pragma once

#include "common/error.h"

#include <string>
#include <sys/stat.h>

namespace vigil::monitor {

inline std::string stamp_of(const std::string &file) {
  struct stat s {};
  if (stat(file.c_str(), &s)) return "";
  return text(s.st_dev, "/", s.st_ino, "/", s.st_size, "/", s.st_mtim.tv_sec, ".", s.st_mtim.tv_nsec);
}

} // namespace vigil::monitor
