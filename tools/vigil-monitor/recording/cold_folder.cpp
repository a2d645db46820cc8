// SPDX-License-Identifier: LGPL-2.1-or-later
#include "cold_folder.h"

#include "../camera/utc.h"
#include "../store/own_files.h"
#include "common/error.h"
#include "common/file.h"

#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <sys/stat.h>
#include <system_error>
#include <utility>

namespace vigil::monitor {
namespace {

constexpr const char *mark_of_folder = ".vigil-monitor-cold";
constexpr double too_long_for_folder = 5; // seconds

} // namespace

void ColdFolder::Work::goes_on() {
  folder_.busy_since_ = Utc::monotonic_seconds();
}

double ColdFolder::waits() const {
  const double since = busy_since_;
  return since > 0 ? Utc::monotonic_seconds() - since : 0;
}

std::string ColdFolder::unreadable() const {
  if (const double seconds = waits(); seconds > too_long_for_folder)
    return text("has not answered for ", std::floor(seconds), " seconds");
  const std::lock_guard guard(lock_);
  return problem_;
}

std::string ColdFolder::problem() const {
  const std::string why = unreadable();
  const std::lock_guard guard(lock_);
  return why.empty() ? full_ : why;
}

void ColdFolder::check() const {
  if (const std::string why = unreadable(); !why.empty())
    fail(Error::Kind::io, "the recording of this time is in the second folder ", path_, ", which ", why);
}

void ColdFolder::become(const std::string &problem) {
  bool tell = false;
  {
    const std::lock_guard guard(lock_);
    tell = said_ == problem.empty();
    said_ = !problem.empty();
    problem_ = problem;
  }
  if (!tell) return;
  if (problem.empty())
    log_("the second folder " + path_ + " works again");
  else
    log_("the second folder " + path_ + " " + problem +
         "; recordings stay in the first one until it works, and those that are in it cannot be seen");
}

void ColdFolder::tick() {
  if (waits() <= too_long_for_folder) return;
  {
    const std::lock_guard guard(lock_);
    if (said_) return;
  }
  become(unreadable());
}

void ColdFolder::takes_nothing(const std::string &why) {
  bool tell = false;
  {
    const std::lock_guard guard(lock_);
    tell = full_.empty() != why.empty();
    full_ = why;
  }
  if (tell && why.empty()) log_("the second folder " + path_ + " takes recordings again");
  if (tell && !why.empty())
    log_("the second folder " + path_ + " " + why + "; recordings stay in the first one until there is room");
}

bool ColdFolder::use(bool used) {
  const std::string mark = file(mark_of_folder);
  std::string why;
  {
    Work work(*this);
    struct stat info {};
    if (stat(path_.c_str(), &info) != 0)
      why = text("is not there: ", std::strerror(errno));
    else if (!S_ISDIR(info.st_mode))
      why = "is no folder";
    else if (stat(mark.c_str(), &info) != 0 && used)
      why = text("is not mounted, or is another one: it has no ", mark_of_folder);
    else if (is_gone(mark))
      try {
        constexpr std::string_view words = "Older recordings of vigil-monitor are in this folder.\n";
        write_file_atomically(mark, {reinterpret_cast<const std::uint8_t *>(words.data()), words.size()});
      } catch (const Error &e) {
        why = text("cannot be written: ", e.what());
      }
  }
  become(why);
  return why.empty();
}

} // namespace vigil::monitor
