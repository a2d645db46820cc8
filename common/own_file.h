// SPDX-License-Identifier: LGPL-2.1-or-later
// Files that are installed with a program or plugin and are no use without it: helper programs, modules.
#pragma once

#include <string>

namespace vigil {

struct OwnFile {
  const char *name;
  const char *folder;   // below that of the program or plugin, in a build folder
  const char *variable; // of the environment; it names another file, or none when it is empty
  int access;           // as for access(): R_OK, X_OK
};

// The first that may be used of: the one in the folder of the program or plugin that this code is part of,
// the one in `folder` there, and the installed one. Empty when there is none.
std::string find_own_file(const OwnFile &);

// Where it is when it is installed.
std::string installed_own_file(const OwnFile &);

} // namespace vigil
