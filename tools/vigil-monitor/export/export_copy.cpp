// SPDX-License-Identifier: LGPL-2.1-or-later
#include "common/error.h"
#include "common/file.h"
#include "export_output.h"
#include "sha256.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <tuple>
#include <unistd.h>
#include <utility>

namespace vigil::monitor {
namespace {

class Copy : public ExportOutput {
 public:
  Copy(std::string path, const ExportRoom &room)
      : path_(std::move(path)), part_(path_ + ".part"), room_(room),
        file_(open(part_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666)) {
    if (file_ < 0) fail(Error::Kind::write, "cannot make ", part_, ": ", std::strerror(errno));
  }
  ~Copy() override {
    if (file_ < 0) return;
    close(file_);
    unlink(part_.c_str());
  }

  void put(std::string_view bytes) override {
    constexpr std::int64_t often = 16 << 20;
    if (bytes_ / often != (bytes_ + static_cast<std::int64_t>(bytes.size())) / often) {
      if (room_() < 0)
        fail(Error::Kind::write, "the disk has less free space than min_free, after ", bytes_, " bytes of ",
             path_);
      // The disk begins now. finish() would leave it all to one long wait, also of those who record.
      std::ignore = sync_file_range(file_, 0, 0, SYNC_FILE_RANGE_WRITE);
    }
    sum_.add(bytes);
    bytes_ += static_cast<std::int64_t>(bytes.size());
    while (!bytes.empty()) {
      errno = ENOSPC;
      const ssize_t n = write(file_, bytes.data(), bytes.size());
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) refuse("write");
      bytes.remove_prefix(static_cast<std::size_t>(n));
    }
  }

  Made finish() override {
    if (fdatasync(file_) != 0) refuse("store");
    if (std::rename(part_.c_str(), path_.c_str()) != 0) refuse("rename");
    close(std::exchange(file_, -1));
    sync_folder_of(path_);
    return {bytes_, sum_.hex()};
  }

 private:
  [[noreturn]] void refuse(const char *what) const {
    fail(Error::Kind::write, "cannot ", what, " ", part_, ": ", std::strerror(errno));
  }
  const std::string path_, part_;
  const ExportRoom &room_;
  int file_;
  std::int64_t bytes_ = 0;
  Sha256 sum_;
};

} // namespace

std::unique_ptr<ExportOutput> export_copy(std::string path, const ExportRoom &room) {
  return std::make_unique<Copy>(std::move(path), room);
}

} // namespace vigil::monitor
