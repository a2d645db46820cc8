// SPDX-License-Identifier: LGPL-2.1-or-later
#include "segment_file.h"

#include "common/error.h"
#include "common/file.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <tuple>
#include <unistd.h>

namespace vigil::monitor {
namespace fs = std::filesystem;
namespace {

thread_local int last_failure = 0;

} // namespace

bool SegmentFile::disk_is_full() {
  return last_failure == ENOSPC || last_failure == EDQUOT;
}

void SegmentFile::refuse(const char *what, int why) const {
  last_failure = why;
  fail(Error::Kind::write, "cannot ", what, " ", path_, ": ", std::strerror(why));
}

SegmentFile::SegmentFile(const std::string &path, const std::string &header) : path_(path) {
  const std::string folder = fs::path(path).parent_path().string();
  std::error_code error;
  if (fs::create_directories(folder, error)) sync_folder(fs::path(folder).parent_path().string());
  if (error) refuse("make the folder of", error.value());
  file_ = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (file_ < 0) refuse("make", errno);
  try {
    append({{const_cast<char *>(header.data()), header.size()}});
  } catch (...) {
    close(file_);
    unlink(path.c_str());
    throw;
  }
}

SegmentFile::~SegmentFile() {
  close(file_);
}

void SegmentFile::append(std::vector<iovec> parts) {
  std::int64_t written = 0;
  for (std::size_t at = 0; at < parts.size();) {
    const auto n =
        writev(file_, &parts[at], static_cast<int>(std::min<std::size_t>(parts.size() - at, IOV_MAX)));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      const int why = n < 0 ? errno : ENOSPC;
      std::ignore = ftruncate(file_, bytes_); // half a fragment stays where even this fails: a start finds it
      lseek(file_, bytes_, SEEK_SET);
      refuse("write", why);
    }
    written += n;
    for (auto left = static_cast<std::size_t>(n); at < parts.size();) {
      iovec &p = parts[at];
      const std::size_t taken = std::min(left, p.iov_len);
      p.iov_base = static_cast<char *>(p.iov_base) + taken;
      p.iov_len -= taken;
      left -= taken;
      if (p.iov_len > 0) break;
      at++;
    }
  }
  bytes_ += written;
}

void SegmentFile::sync() {
  if (fdatasync(file_) != 0) refuse("store", errno);
}

bool SegmentFile::is_gone() const {
  struct stat info {};
  return fstat(file_, &info) == 0 && info.st_nlink == 0;
}

} // namespace vigil::monitor
