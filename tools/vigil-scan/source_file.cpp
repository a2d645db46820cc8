// SPDX-License-Identifier: LGPL-2.1-or-later
#include "source_file.h"

#include "common/error.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <glib.h>
#include <memory>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace vigil::scan {

namespace fs = std::filesystem;

namespace {

using Checksum = std::unique_ptr<GChecksum, decltype(&g_checksum_free)>;
Checksum sha256() {
  return {g_checksum_new(G_CHECKSUM_SHA256), g_checksum_free};
}
std::string short_hash(const std::string &words) {
  const Checksum sum = sha256();
  g_checksum_update(sum.get(), reinterpret_cast<const guchar *>(words.data()),
                    static_cast<gssize>(words.size()));
  return std::string(g_checksum_get_string(sum.get())).substr(0, 16);
}

class Descriptor {
 public:
  // A named pipe would keep an ordinary open() waiting for a writer.
  explicit Descriptor(const std::string &path)
      : path_(path), descriptor_(open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC)) {
    if (descriptor_ < 0) failed("open");
  }
  ~Descriptor() { close(descriptor_); }
  Descriptor(const Descriptor &) = delete;
  Descriptor &operator=(const Descriptor &) = delete;
  int get() const { return descriptor_; }
  [[noreturn]] void failed(const char *doing) const {
    fail(Error::Kind::io, "cannot ", doing, " ", path_, ": ", std::strerror(errno));
  }

 private:
  const std::string path_;
  const int descriptor_;
};

// Adds up to `count` bytes from `offset` on; returns how many there were.
std::size_t add(GChecksum *sum, const Descriptor &file, off_t offset, std::size_t count) {
  std::vector<guchar> bytes(count);
  const ssize_t n = pread(file.get(), bytes.data(), count, offset);
  if (n < 0) file.failed("read");
  g_checksum_update(sum, bytes.data(), n);
  return static_cast<std::size_t>(n);
}

fs::path canonical(const std::string &path) {
  std::error_code error;
  const fs::path whole = fs::weakly_canonical(path, error);
  return error ? fs::absolute(path) : whole;
}

} // namespace

// The file's own name is for people; the hash keeps files of one name in several folders apart.
std::string name_of(const std::string &path) {
  const fs::path whole = canonical(path);
  std::string own = whole.filename().string().substr(0, 80);
  for (char &c : own)
    if (!g_ascii_isalnum(c) && c != '.' && c != '-') c = '_';
  return own + "-" + short_hash(whole.string());
}

SourceFile look_at(const std::string &path) {
  const Descriptor file(path);
  struct stat info {};
  if (fstat(file.get(), &info) != 0) file.failed("look at");
  if (!S_ISREG(info.st_mode)) fail(Error::Kind::bad_data, path, " is not a plain file");
  if (info.st_size == 0) fail(Error::Kind::bad_data, path, " is empty");
  constexpr off_t end_bytes = 65536;
  const Checksum sum = sha256();
  const std::string size = text(info.st_size, '\n');
  g_checksum_update(sum.get(), reinterpret_cast<const guchar *>(size.data()),
                    static_cast<gssize>(size.size()));
  add(sum.get(), file, 0, end_bytes);
  add(sum.get(), file, std::max<off_t>(0, info.st_size - end_bytes), end_bytes);
  SourceFile s;
  s.path = canonical(path).string();
  s.name = name_of(path);
  s.digest = g_checksum_get_string(sum.get());
  s.bytes = static_cast<std::uintmax_t>(info.st_size);
  return s;
}

std::string sha256_of_file(const std::string &path) {
  const Descriptor file(path);
  const Checksum sum = sha256();
  constexpr std::size_t step = 1 << 20;
  for (off_t at = 0;;) {
    const std::size_t n = add(sum.get(), file, at, step);
    if (n == 0) return g_checksum_get_string(sum.get());
    at += static_cast<off_t>(n);
  }
}

} // namespace vigil::scan
