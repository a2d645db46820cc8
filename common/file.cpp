// SPDX-License-Identifier: LGPL-2.1-or-later
#include "common/file.h"

#include "common/error.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace vigil {
namespace {

[[noreturn]] void io_error(Error::Kind kind, const std::string &doing, const std::string &path) {
  fail(kind, "cannot ", doing, " '", path, "': ", std::strerror(errno));
}

using File = std::unique_ptr<std::FILE, int (*)(std::FILE *)>;

// A new file in the folder of `path`, under a name that nobody else has, and that name.
std::pair<File, std::string> create_beside(const std::string &path) {
  static std::atomic<unsigned> count = 0;
  for (int tries = 0; tries < 100; tries++) {
    std::string name = text(path, ".", getpid(), "-", count++);
    const int descriptor = open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor >= 0) return {File(fdopen(descriptor, "wb"), std::fclose), std::move(name)};
    if (errno != EEXIST) break;
  }
  io_error(Error::Kind::write, "make a file beside", path);
}

} // namespace

void check_writable(const std::string &path) {
  const auto [file, name] = create_beside(path);
  unlink(name.c_str());
}

void write_file_atomically(const std::string &path, std::span<const std::uint8_t> bytes) {
  auto [file, temporary] = create_beside(path);
  if (std::fwrite(bytes.data(), 1, bytes.size(), file.get()) == bytes.size() &&
      std::fflush(file.get()) == 0 && fsync(fileno(file.get())) == 0 && std::fclose(file.release()) == 0 &&
      std::rename(temporary.c_str(), path.c_str()) == 0)
    return;
  const int cause = errno;
  unlink(temporary.c_str());
  errno = cause;
  io_error(Error::Kind::write, "write", path);
}

std::vector<std::uint8_t>
read_plain_file(const std::string &path, const char *what, std::size_t head,
                const std::function<std::size_t(std::span<const std::uint8_t>)> &largest) {
  // a named pipe would keep an ordinary open() waiting for a writer
  const int descriptor = open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (descriptor < 0) io_error(Error::Kind::io, text("open ", what), path);
  const File file(fdopen(descriptor, "rb"), std::fclose);
  struct stat info {};
  if (fstat(descriptor, &info) != 0) io_error(Error::Kind::io, text("read ", what), path);
  if (!S_ISREG(info.st_mode)) fail(Error::Kind::io, what, " '", path, "' is not a plain file");
  std::vector<std::uint8_t> bytes;
  const auto read = [&](std::size_t size) {
    const std::size_t have = bytes.size();
    bytes.resize(size);
    bytes.resize(have + std::fread(bytes.data() + have, 1, size - have, file.get()));
    if (std::ferror(file.get())) io_error(Error::Kind::io, text("read ", what), path);
  };
  const auto size = static_cast<std::size_t>(info.st_size);
  read(std::min(size, head));
  if (const std::size_t most = largest(bytes); size > most)
    fail(Error::Kind::bad_data, what, " is damaged: it has ", size, " bytes where ", most,
         " is the most possible");
  read(size);
  return bytes;
}

} // namespace vigil
