// SPDX-License-Identifier: LGPL-2.1-or-later
#include "vapid_key.h"

#include "common/error.h"
#include "common/file.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace vigil::monitor {
namespace {

// Whole or not at all: a power cut may come at any time.
void make_key_file(const std::string &file, const std::string &text) {
  const std::string draft = file + ".new";
  const int fd = open(draft.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (fd < 0) fail(Error::Kind::write, "cannot make ", draft, ": ", std::strerror(errno));
  const bool good = !fchmod(fd, 0600) &&
                    write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size()) && !fsync(fd);
  const int why = errno;
  close(fd);
  if (!good) {
    unlink(draft.c_str());
    fail(Error::Kind::write, "cannot write ", draft, ": ", std::strerror(why));
  }
  if (rename(draft.c_str(), file.c_str()))
    fail(Error::Kind::write, "cannot make ", file, ": ", std::strerror(errno));
  sync_folder_of(file);
}

} // namespace

P256Key vapid_key(const std::string &file) {
  struct stat info {};
  if (stat(file.c_str(), &info)) {
    if (errno != ENOENT) fail(Error::Kind::io, "cannot read ", file, ": ", std::strerror(errno));
    P256Key made = P256Key::make();
    make_key_file(file, base64url(made.secret()) + "\n");
    return made;
  }
  if (info.st_mode & (S_IRWXG | S_IRWXO))
    fail(Error::Kind::bad_setting, "the key of push messages ", file, " can be read by others; chmod 600 ",
         file);
  constexpr std::size_t largest = 1024;
  std::string text = read_text_file(file, "the key of push messages", largest);
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  try {
    const std::string secret = from_base64url(text);
    return P256Key({reinterpret_cast<const std::uint8_t *>(secret.data()), secret.size()});
  } catch (const Error &e) {
    fail(Error::Kind::bad_data, file, " is no key of push messages: ", e.what(),
         "; put it back from a backup, or remove it: then each device subscribes again");
  }
}

} // namespace vigil::monitor
