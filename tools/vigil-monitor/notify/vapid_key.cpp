// SPDX-License-Identifier: LGPL-2.1-or-later
#include "vapid_key.h"

#include "../store/secret_file.h"
#include "common/error.h"
#include "common/file.h"

#include <cerrno>
#include <cstring>
#include <sys/stat.h>

namespace vigil::monitor {
P256Key vapid_key(const std::string &file) {
  struct stat info {};
  if (stat(file.c_str(), &info)) {
    if (errno != ENOENT) fail(Error::Kind::io, "cannot read ", file, ": ", std::strerror(errno));
    P256Key made = P256Key::make();
    make_secret_file(file, base64url(made.secret()) + "\n");
    return made;
  }
  constexpr const char *help = "; put it back from a backup, or remove it: then each device subscribes again";
  if (S_ISDIR(info.st_mode)) fail(Error::Kind::bad_data, file, " is a folder and no key", help);
  if (info.st_mode & (S_IRWXG | S_IRWXO))
    fail(Error::Kind::bad_setting, "the key of push messages ", file, " can be read by others; chmod 600 ",
         file);
  constexpr std::size_t largest = 1024;
  std::string text = read_text_file(file, "the key of push messages", largest);
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  try {
    const std::string secret = from_base64url(text);
    return P256Key({reinterpret_cast<const std::uint8_t *>(secret.data()), secret.size()});
  } catch (const Error &) { // its words may hold a part of the key, and viewers would read them
    fail(Error::Kind::bad_data, file, " is no key of push messages", help);
  }
}

} // namespace vigil::monitor
