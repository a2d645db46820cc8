// SPDX-License-Identifier: LGPL-2.1-or-later
#include "folder_owner.h"

#include "common/error.h"

#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

namespace vigil::monitor {

std::string name_of_owner(unsigned user) {
  const passwd *p = getpwuid(user);
  return p ? p->pw_name : std::to_string(user);
}

void need_own_folder(const std::string &folder) {
  struct stat info {};
  if (stat(folder.c_str(), &info) || info.st_uid == geteuid()) return;
  const std::string owner = name_of_owner(info.st_uid);
  fail(Error::Kind::bad_setting, "the storage folder ", folder, " belongs to ", owner,
       "; run this as that user: sudo -u ", owner, " vigil-monitor ...");
}

} // namespace vigil::monitor
