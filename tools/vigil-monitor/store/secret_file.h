// SPDX-License-Identifier: LGPL-2.1-or-later
// Files of keys and tokens, which their owner alone may read.
#pragma once

#include "common/error.h"
#include "common/file.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

namespace vigil::monitor {

// Makes the file, mode 0600: whole or not at all, also when the program is killed meanwhile. A file that is
// there already stays. It is on the disk when this returns. Throws Error::write.
inline void make_secret_file(const std::string &file, const std::string &text) {
  const std::string draft = file + ".new";
  const int fd = open(draft.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (fd < 0) fail(Error::Kind::write, "cannot make ", draft, ": ", std::strerror(errno));
  errno = ENOSPC; // of half of the text
  const bool good = !fchmod(fd, 0600) &&
                    write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size()) && !fsync(fd);
  const int why = errno;
  close(fd);
  if (!good) {
    unlink(draft.c_str());
    fail(Error::Kind::write, "cannot write ", draft, ": ", std::strerror(why));
  }
  struct stat info {};
  const bool is_first = link(draft.c_str(), file.c_str()) == 0;
  if (is_first || stat(file.c_str(), &info) == 0)
    unlink(draft.c_str());
  else if (std::rename(draft.c_str(), file.c_str()) != 0) // a file system without links
    fail(Error::Kind::write, "cannot make ", file, ": ", std::strerror(errno));
  sync_folder_of(file);
}

} // namespace vigil::monitor
