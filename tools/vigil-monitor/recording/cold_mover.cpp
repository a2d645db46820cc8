// SPDX-License-Identifier: LGPL-2.1-or-later
#include "cold_mover.h"

#include "../counted.h"
#include "../store/event.h"
#include "../store/own_files.h"
#include "common/file.h"
#include "recovery.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <set>
#include <sys/stat.h>
#include <tuple>
#include <unistd.h>
#include <utility>

namespace vigil::monitor {
namespace fs = std::filesystem;
namespace {

constexpr const char *part_ending = ".part";

class CopiedFile {
 public:
  CopiedFile(const std::string &path, int flags)
      : path_(path), at_(open(path.c_str(), flags | O_CLOEXEC, 0666)) {
    if (at_ < 0) refuse(flags == O_RDONLY ? "read" : "make");
  }
  ~CopiedFile() { close(at_); }
  CopiedFile(const CopiedFile &) = delete;
  CopiedFile &operator=(const CopiedFile &) = delete;
  int at() const { return at_; }
  [[noreturn]] void refuse(const char *what) const {
    fail(Error::Kind::write, "cannot ", what, " ", path_, ": ", std::strerror(errno));
  }

 private:
  const std::string path_;
  const int at_;
};

// Throws Error::write.
void copy_whole(const std::string &from, const std::string &to, const std::function<void()> &goes_on) {
  constexpr std::size_t at_once = 1 << 20;
  const CopiedFile in(from, O_RDONLY), out(to, O_WRONLY | O_CREAT | O_TRUNC);
  std::string bytes(at_once, '\0');
  for (;;) {
    const ssize_t n = ::read(in.at(), bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) in.refuse("read");
    if (n == 0) break;
    for (ssize_t done = 0; done < n;) {
      const ssize_t w = ::write(out.at(), bytes.data() + done, static_cast<std::size_t>(n - done));
      if (w < 0 && errno != EINTR) out.refuse("write");
      if (w > 0) done += w;
      goes_on();
    }
  }
  if (fsync(out.at()) != 0) out.refuse("store");
  posix_fadvise(in.at(), 0, 0, POSIX_FADV_DONTNEED);
  posix_fadvise(out.at(), 0, 0, POSIX_FADV_DONTNEED);
}

std::int64_t free_space(const std::string &path) {
  std::error_code error;
  const auto space = fs::space(path, error);
  return error ? 0 : static_cast<std::int64_t>(space.available);
}

} // namespace

ColdMover::ColdMover(RecordingIndex &index, RecordingPlaces places, std::string storage, Log log,
                     std::function<void(std::vector<Departure>)> deleted, std::function<void()> compared)
    : index_(index), places_(places), log_(std::move(log)), deleted_(std::move(deleted)),
      compared_(std::move(compared)),
      retention_(index, std::move(places), std::move(storage), log_, RecordingRetention::Where::cold) {}

void ColdMover::start() {
  thread_.begin("the second folder", [this] { run(); });
}

bool ColdMover::stop(std::chrono::milliseconds patience) {
  {
    const std::lock_guard guard(lock_);
    ended_ = true;
  }
  more_.notify_all();
  return thread_.ends_within(patience);
}

bool ColdMover::ended() const {
  const std::lock_guard guard(lock_);
  return ended_;
}

void ColdMover::ask(const Wish &w) {
  const std::lock_guard guard(lock_);
  wish_ = w;
  more_.notify_all();
}

void ColdMover::run() {
  constexpr std::chrono::seconds often(5); // looks whether the folder is there
  for (;;) {
    std::optional<Wish> wish;
    {
      std::unique_lock held(lock_);
      more_.wait_for(held, often, [this] { return ended_ || wish_; });
      if (ended_) return;
      wish = std::exchange(wish_, std::nullopt);
    }
    try {
      const bool worked = std::exchange(works_, places_.cold()->use(index_.cold_bytes() > 0));
      if (!works_) continue;
      if (!worked && compare() && compared_) compared_();
      if (wish) pass(*wish);
    } catch (const Error &e) {
      log_(text("the second folder ", places_.cold()->path(), ": ", e.what()));
    }
  }
}

void ColdMover::pass(const Wish &w) {
  const std::string &path = places_.cold()->path();
  {
    ColdFolder::Work work(*places_.cold());
    const DiskState disk{w.now,
                         static_cast<std::int64_t>(w.limits.max_size),
                         free_space(path),
                         static_cast<std::int64_t>(w.limits.min_free),
                         index_.cold_bytes(),
                         w.clock_trusted};
    auto gone = retention_.retain(disk).gone;
    if (!gone.empty()) deleted_(std::move(gone));
  }
  move(w);
}

void ColdMover::move(const Wish &w) {
  constexpr int at_once = 64;
  constexpr double day = 86400;
  std::int64_t excess = w.hot_excess;
  const std::int64_t before = micros(w.now - w.limits.days * day);
  while (!ended()) {
    const auto oldest = index_.oldest_hot(at_once);
    int moved = 0;
    for (const Segment &s : oldest) {
      if (ended() || (s.end() > before && excess <= 0)) return;
      const std::int64_t room =
          free_space(places_.cold()->path()) - static_cast<std::int64_t>(w.limits.min_free);
      if (room < s.bytes || (w.limits.max_size > 0 &&
                             index_.cold_bytes() + s.bytes > static_cast<std::int64_t>(w.limits.max_size)))
        return places_.cold()->takes_nothing("is full");
      const Moved done = move(s);
      if (done == Moved::refused) return;
      excess -= s.bytes;
      moved += done == Moved::yes;
    }
    if (moved == 0) return;
  }
}

ColdMover::Moved ColdMover::move(const Segment &s) {
  const std::string from = places_.hot(s.id), to = places_.cold()->file(recording_path(s.id));
  if (is_gone(from))
    return Moved::no; // removed meanwhile: by retention, or by somebody, which the next start finds
  try {
    ColdFolder::Work work(*places_.cold());
    const std::string folder = fs::path(to).parent_path().string();
    std::error_code error;
    if (fs::create_directories(folder, error)) sync_folder(fs::path(folder).parent_path().string());
    if (error) fail(Error::Kind::write, "cannot make the folder ", folder, ": ", error.message());
    copy_whole(from, to + part_ending, [&] { work.goes_on(); });
    if (std::rename((to + part_ending).c_str(), to.c_str()) != 0)
      fail(Error::Kind::write, "cannot make ", to, ": ", std::strerror(errno));
    sync_folder(folder);
  } catch (const Error &e) {
    ColdFolder::Work work(*places_.cold());
    std::ignore = unlink((to + part_ending).c_str());
    places_.cold()->takes_nothing(text("takes nothing: ", e.what()));
    return Moved::refused;
  }
  if (!index_.set_cold(s.id, true)) { // deleted meanwhile
    std::ignore = unlink(to.c_str());
    return Moved::no;
  }
  std::ignore = unlink(from.c_str()); // where it stays, the next start takes it for the segment's
  places_.cold()->takes_nothing("");
  return Moved::yes;
}

// What a killed program, or one that ran while this folder was away, has left: halves of copies, files that
// are in the first folder still, rows whose files are gone, files without a row.
bool ColdMover::compare() {
  ColdFolder::Work work(*places_.cold());
  const std::string root = places_.cold()->file("recordings");
  std::error_code error;
  if (!fs::exists(root, error)) {
    if (index_.cold_bytes() == 0) return true;
  }
  std::set<std::string> rows = index_.cold_ids();
  std::vector<std::pair<std::string, std::string>> unknown;
  fs::recursive_directory_iterator i(root, fs::directory_options::skip_permission_denied, error), end;
  for (; !error && i != end; i.increment(error)) {
    work.goes_on();
    const fs::path &path = i->path();
    std::error_code none;
    if (!i->is_regular_file(none) || i->is_symlink(none)) continue;
    const std::string name = path.filename().string();
    const bool part = name.ends_with(part_ending);
    const std::string id = fs::path(part ? path.stem() : path).stem().string();
    const std::string own = places_.cold()->file(recording_path(id)) + (part ? part_ending : "");
    if (!event_of_id(id) || path.string() != own) continue; // of others
    if (part || rows.erase(id) == 0) unknown.emplace_back(path.string(), part ? "" : id);
  }
  if (error && error != std::errc::no_such_file_or_directory) {
    log_(text("the folder ", root, " cannot be read: ", error.message()));
    return false;
  }
  for (const auto &[path, id] : unknown) compare(path, id);
  std::vector<std::string> lost;
  for (const std::string &id : rows)
    if (is_gone(places_.cold()->file(recording_path(id)))) lost.push_back(id);
  if (lost.empty()) return true;
  if (!places_.cold()->use(true)) return false; // the folder has gone while it was looked at
  index_.remove(lost, true);
  log_(text(counted(lost.size(), "segment of recordings is", "segments of recordings are"),
            " gone from the second folder: ", word_for(lost.size(), "its file was", "their files were"),
            " removed"));
  return true;
}

void ColdMover::compare(const std::string &path, const std::string &id) {
  try {
    if (id.empty() || !is_gone(places_.hot(id))) return remove_file(path); // a copy that was never needed
    auto found = read_segment_file(path, id, false);
    if (!found)
      return log_(text("the recording ", path, " holds nothing that can be played, and is left as it is"));
    found->cold = true;
    index_.put(*found);
    log_(text("the recording ", path, " without a row in the database was found again"));
  } catch (const Error &e) {
    log_(text("the recording ", path, " is left as it is: ", e.what()));
  }
}

} // namespace vigil::monitor
