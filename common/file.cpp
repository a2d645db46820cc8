// SPDX-License-Identifier: LGPL-2.1-or-later
#include "common/file.h"

#include "common/error.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <filesystem>
#include <memory>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace vigil {
namespace {

[[noreturn]] void io_error(Error::Kind kind, const std::string &doing, const std::string &path) {
  fail(kind, "cannot ", doing, " '", path, "': ", std::strerror(errno));
}

using File = std::unique_ptr<std::FILE, int (*)(std::FILE *)>;

File open_to_read(const std::string &path, const char *what) {
  // a named pipe would keep an ordinary open() waiting for a writer
  const int descriptor = open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (descriptor < 0) io_error(Error::Kind::io, text("open ", what), path);
  File file(fdopen(descriptor, "rb"), std::fclose);
  if (!file) {
    const int cause = errno; // no memory for the stream
    close(descriptor);
    errno = cause;
    io_error(Error::Kind::io, text("read ", what), path);
  }
  return file;
}

// A new file in the folder of `path`, under a name that nobody else has, and that name.
std::pair<File, std::string> create_beside(const std::string &path) {
  static std::atomic<unsigned> count = 0;
  for (int tries = 0; tries < 100; tries++) {
    std::string name = text(path, ".", getpid(), "-", count++);
    const int descriptor = open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor >= 0) {
      flock(descriptor, LOCK_EX | LOCK_NB); // see remove_left_behind()
      if (File file(fdopen(descriptor, "wb"), std::fclose); file) return {std::move(file), std::move(name)};
      const int cause = errno; // no memory for the stream
      close(descriptor);
      unlink(name.c_str());
      errno = cause;
      break;
    }
    if (errno != EEXIST) break;
  }
  io_error(Error::Kind::write, "write", path);
}

std::string folder_of(const std::string &path) {
  const std::filesystem::path whole(path);
  return whole.has_parent_path() ? whole.parent_path().string() : ".";
}

// NAME of "NAME.PID-NUMBER"; empty for other words.
std::string_view name_of_draft(std::string_view words) {
  const auto dot = words.rfind('.');
  if (dot == std::string_view::npos) return {};
  const std::string rest(words.substr(dot + 1));
  unsigned pid = 0, number = 0;
  int used = 0;
  if (std::sscanf(rest.c_str(), "%u-%u%n", &pid, &number, &used) != 2 || std::size_t(used) != rest.size())
    return {};
  return words.substr(0, dot);
}

void remove_drafts_of(const std::string &path) {
  const std::string own = std::filesystem::path(path).filename().string();
  remove_left_behind(folder_of(path), [&](std::string_view name) { return name == own; });
}

[[noreturn]] void failed_to_write(const std::string &path, const std::string &temporary) {
  const int cause = errno;
  unlink(temporary.c_str());
  errno = cause;
  io_error(Error::Kind::write, "write", path);
}

// A new file next to `path` with these bytes, on the disk, and its name. Its lock is held until it is
// closed.
std::pair<File, std::string> write_beside(const std::string &path, std::span<const std::uint8_t> bytes) {
  auto [file, temporary] = create_beside(path);
  if (std::fwrite(bytes.data(), 1, bytes.size(), file.get()) != bytes.size() ||
      std::fflush(file.get()) != 0 || fsync(fileno(file.get())) != 0)
    failed_to_write(path, temporary);
  return {std::move(file), std::move(temporary)};
}

} // namespace

// A writer holds a lock as long as it lives; the number of its process says nothing, since it comes again
// after a restart (in a container it is always the same). A file of the last two seconds may belong to a
// writer that is about to take the lock.
void remove_left_behind(const std::string &folder, const std::function<bool(std::string_view)> &is_ours) {
  std::error_code error;
  for (std::filesystem::directory_iterator i(folder, error), end; !error && i != end; i.increment(error)) {
    const std::string words = i->path().filename().string();
    const std::string_view name = name_of_draft(words);
    if (name.empty() || !is_ours(name)) continue;
    const int descriptor = open(i->path().c_str(), O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
    if (descriptor < 0) continue;
    struct stat info {};
    if (fstat(descriptor, &info) == 0 && S_ISREG(info.st_mode) && info.st_mtime + 2 < std::time(nullptr) &&
        flock(descriptor, LOCK_EX | LOCK_NB) == 0)
      unlink(i->path().c_str());
    close(descriptor);
  }
}

void check_writable(const std::string &path) {
  remove_drafts_of(path);
  const auto [file, name] = create_beside(path);
  unlink(name.c_str());
}

// Writes to a device or pipe, such as /dev/stdout, which nothing may replace. False when the path is none.
static bool write_to_special_file(const std::string &path, std::span<const std::uint8_t> bytes) {
  struct stat info {};
  if (stat(path.c_str(), &info) != 0 || S_ISREG(info.st_mode) || S_ISDIR(info.st_mode)) return false;
  const File file(std::fopen(path.c_str(), "wb"), std::fclose);
  if (!file || std::fwrite(bytes.data(), 1, bytes.size(), file.get()) != bytes.size() ||
      std::fflush(file.get()) != 0)
    io_error(Error::Kind::write, "write", path);
  return true;
}

void replace_file(const std::string &path, std::span<const std::uint8_t> bytes) {
  if (write_to_special_file(path, bytes)) return;
  const auto [file, temporary] = write_beside(path, bytes);
  if (std::rename(temporary.c_str(), path.c_str()) != 0) failed_to_write(path, temporary);
  sync_folder_of(path);
}

void write_file_atomically(const std::string &path, std::span<const std::uint8_t> bytes) {
  replace_file(path, bytes);
  remove_drafts_of(path);
}

bool write_file_if_absent(const std::string &path, std::span<const std::uint8_t> bytes) {
  const auto [file, temporary] = write_beside(path, bytes);
  bool is_first = link(temporary.c_str(), path.c_str()) == 0;
  if (!is_first && !std::filesystem::exists(path)) { // a file system without links
    if (std::rename(temporary.c_str(), path.c_str()) != 0) failed_to_write(path, temporary);
    is_first = true;
  } else {
    unlink(temporary.c_str());
  }
  sync_folder_of(path);
  return is_first;
}

std::string read_text_file(const std::string &path, const char *what, std::size_t most) {
  const auto bytes = read_plain_file(path, what, 0, [most](auto) { return most; });
  return {bytes.begin(), bytes.end()};
}

// Until the end of a pipe that is open without blocking. The end of one from which nothing has come yet may
// be that nobody has opened it for writing, which poll() waits for.
static std::string read_pipe(int descriptor, const std::string &path, const char *what, std::size_t most) {
  constexpr int patience = 10'000; // milliseconds
  std::string out;
  char bytes[4096];
  while (out.size() <= most) {
    const ssize_t size = read(descriptor, bytes, sizeof bytes);
    if (size > 0) {
      out.append(bytes, static_cast<std::size_t>(size));
      continue;
    }
    if (size == 0 && !out.empty()) return out;
    if (size < 0 && errno != EINTR && errno != EAGAIN) io_error(Error::Kind::io, text("read ", what), path);
    pollfd ready{descriptor, POLLIN, 0};
    if (poll(&ready, 1, patience) == 0)
      fail(Error::Kind::io, "nothing came from the pipe '", path, "' for ", patience / 1000, " seconds; ",
           what, " is read from it until its end");
    if (size == 0 && (ready.revents & POLLIN) == 0) return out; // a writer has come and gone
  }
  fail(Error::Kind::bad_data, what, " from the pipe '", path, "' has more than ", most,
       " bytes, the most possible");
}

std::string read_text_file_or_pipe(const std::string &path, const char *what, std::size_t most) {
  struct stat info {};
  if (stat(path.c_str(), &info) != 0 || !S_ISFIFO(info.st_mode)) return read_text_file(path, what, most);
  const File file = open_to_read(path, what);
  return read_pipe(fileno(file.get()), path, what, most);
}

void sync_folder(const std::string &folder) {
  const int descriptor = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  fsync(descriptor);
  close(descriptor);
}

void sync_folder_of(const std::string &path) {
  sync_folder(folder_of(path));
}

std::vector<std::uint8_t>
read_plain_file(const std::string &path, const char *what, std::size_t head,
                const std::function<std::size_t(std::span<const std::uint8_t>)> &largest) {
  const File file = open_to_read(path, what);
  struct stat info {};
  if (fstat(fileno(file.get()), &info) != 0) io_error(Error::Kind::io, text("read ", what), path);
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
