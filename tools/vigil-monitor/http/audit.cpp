// SPDX-License-Identifier: LGPL-2.1-or-later
#include "audit.h"

#include "../store/audit_files.h"
#include "../store/salvage.h"
#include "common/error.h"
#include "common/file.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace vigil::monitor {
namespace {

struct Descriptor {
  const int number;
  ~Descriptor() {
    if (number >= 0) close(number);
  }
};

// The end of a file as lines, the newest first.
void read_lines(const std::string &file, std::size_t most, nlohmann::json &out) {
  constexpr std::streamoff end_of_file = 1 << 20;
  std::ifstream in(file, std::ios::binary | std::ios::ate);
  if (!in) return;
  const std::streamoff size = in.tellg(), from = std::max<std::streamoff>(0, size - end_of_file);
  in.seekg(from);
  std::vector<std::string> lines;
  std::string line;
  if (from > 0) std::getline(in, line); // a part of one
  while (std::getline(in, line)) lines.push_back(line);
  for (auto l = lines.rbegin(); l != lines.rend() && out.size() < most; ++l) {
    nlohmann::json j = nlohmann::json::parse(*l, nullptr, false);
    if (j.is_object()) out.push_back(std::move(j)); // not what a power cut has left
  }
}

} // namespace

AuditLog::AuditLog(std::string file, std::function<void(const std::string &)> log, std::size_t largest)
    : file_(std::move(file)), log_(std::move(log)), largest_(largest) {}

void AuditLog::add(const nlohmann::json &line) {
  try {
    write(line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
  } catch (const Error &e) {
    log_(e.what());
  }
}

void AuditLog::write(const std::string &line) {
  const std::lock_guard guard(lock_);
  if (const std::string moved = move_barred_aside(file_); !moved.empty()) log_(moved);
  struct stat info {};
  const bool there = !stat(file_.c_str(), &info);
  if (there && static_cast<std::size_t>(info.st_size) + line.size() > largest_) rotate();
  const Descriptor fd{open(file_.c_str(), O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0600)};
  const auto failed = [&] {
    fail(Error::Kind::write, "cannot write ", file_, ": ", std::strerror(errno),
         "; who changed what is in this log alone");
  };
  if (fd.number < 0 || fstat(fd.number, &info)) failed();
  char last = '\n';
  if (info.st_size > 0 && pread(fd.number, &last, 1, info.st_size - 1) != 1) failed();
  const std::string whole = (last == '\n' ? "" : "\n") + line; // half a line stays by itself
  errno = ENOSPC;
  if (::write(fd.number, whole.data(), whole.size()) != static_cast<ssize_t>(whole.size())) failed();
  if (fdatasync(fd.number)) failed();
  if (info.st_size == 0) sync_folder_of(file_);
}

// With the lock. The line is written, whatever happens here.
void AuditLog::rotate() {
  try {
    // No file takes the name of a folder: the log would grow without a limit.
    for (int n = 1; n <= old_audit_files; n++)
      if (const std::string moved = move_barred_aside(audit_file(file_, n)); !moved.empty()) log_(moved);
  } catch (const Error &e) {
    log_(e.what());
  }
  for (int n = old_audit_files - 1; n >= 0; n--)
    std::rename(audit_file(file_, n).c_str(), audit_file(file_, n + 1).c_str());
}

nlohmann::json AuditLog::last(std::size_t lines) const {
  nlohmann::json out = nlohmann::json::array();
  const std::lock_guard guard(lock_);
  read_lines(file_, lines, out);
  if (out.size() < lines) read_lines(audit_file(file_, 1), lines, out);
  return out;
}

} // namespace vigil::monitor
