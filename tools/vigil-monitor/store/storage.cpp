// SPDX-License-Identifier: LGPL-2.1-or-later
#include "storage.h"

#include "../counted.h"
#include "administrators.h"
#include "audit_files.h"
#include "common/error.h"
#include "common/file.h"
#include "event_recovery.h"
#include "own_files.h"
#include "salvage.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/file.h>
#include <sys/stat.h>
#include <tuple>
#include <unistd.h>
#include <utility>

namespace vigil::monitor {
namespace fs = std::filesystem;
namespace {

// Whose folder it is, where that is why nothing can be made in it: a volume of a container, say.
std::string owner_of(fs::path folder, const std::error_code &why) {
  if (why != std::errc::permission_denied) return "";
  struct stat s {};
  while (stat(folder.c_str(), &s) != 0) {
    if (!folder.has_parent_path() || folder == folder.parent_path()) return "";
    folder = folder.parent_path();
  }
  return text(" (", folder.string(), " belongs to user ", s.st_uid, ", and this program runs as user ",
              geteuid(), ")");
}

std::string prepared(const std::string &path) {
  for (const char *folder : {"clips", "thumbs", "events", "models", "masks", "recordings"}) {
    std::error_code error;
    fs::create_directories(fs::path(path) / folder, error);
    if (error)
      fail(Error::Kind::write, "cannot make the folder ", path, "/", folder, ": ", error.message(),
           owner_of(path, error), "; make it writable, or choose another storage path");
  }
  return path;
}

} // namespace

FolderLock::FolderLock(const std::string &folder)
    : file_(open((folder + "/lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)),
      folder_(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  const auto held = [](int file) {
    return file >= 0 && flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  };
  if (!held(file_) && !held(folder_)) return;
  unlock();
  fail(Error::Kind::io, "another vigil-monitor works with the storage folder ", folder,
       "; stop it, or choose another folder (--storage)");
}

FolderLock::~FolderLock() {
  unlock();
}

void FolderLock::unlock() const {
  if (file_ >= 0) close(file_);
  if (folder_ >= 0) close(folder_);
}

Storage::Storage(const std::string &path, Log log, std::shared_ptr<ColdFolder> cold)
    : past_{!is_gone(path + "/events"), false}, path_(prepared(path)), lock_(path_), log_(std::move(log)),
      reports_(log_), records_(path_, log_), places_(path_, std::move(cold)) {
  for (const char *name : {"administrators", "events.jsonl"}) free_name(file(name));
  for (int n = 0; n <= old_audit_files; n++) free_name(file(audit_file("audit.jsonl", n)));
  open_database();
  recordings_ = std::make_unique<RecordingIndex>(file("events.db"));
  reader_ = std::make_unique<EventReader>(file("events.db"));
  motion_ = std::make_unique<MotionHistory>(file("motion.db"),
                                            [this](const std::string &what) { reports_.add(what); });
  doubtful_ = std::make_unique<DoubtfulClips>(*events_, records_, *recordings_, places_);
  retention_ = std::make_unique<EventRetention>(*this, log_);
}

void Storage::open_database() {
  const std::string path = file("events.db");
  if (const std::string moved = move_unreadable_log_aside(path); !moved.empty()) {
    past_.old_rows = true;
    reports_.add(moved + "; events whose files are there come back from their files");
  }
  try {
    check_database(path);
    events_ = std::make_unique<EventStore>(path);
    return;
  } catch (const DamagedDatabase &e) {
    log_(e.what());
  }
  const bool administrators = may_have_administrators(path); // what cannot be read may have had some
  const std::string aside = move_aside(path);
  if (administrators) remember_administrators(path, true);
  events_ = std::make_unique<EventStore>(path);
  const int events = salvage(aside, path, log_);
  reports_.add(text("the database was damaged and is now ", aside, "; ", counted(events, "event"),
                    " could be read from it, and events whose files are there come back from their files"));
}

std::vector<Event> Storage::reconcile(double now) {
  return EventRecovery(*this, records_, *doubtful_, past_, now).run();
}

void Storage::recordings_compared() {
  {
    const std::lock_guard guard(both_lock_);
    doubtful_->index_is_whole();
  }
  settle_clips();
}

void Storage::settle_clips() {
  std::set<std::string> ids;
  {
    const std::lock_guard guard(both_lock_);
    ids = doubtful_->take();
  }
  for (const std::string &id : ids) {
    const std::lock_guard guard(both_lock_);
    doubtful_->settle(id);
  }
}

void Storage::put(const Event &e, const std::vector<Posting> &news) {
  const std::lock_guard guard(both_lock_);
  records_.put(e);
  events_->put(e, news);
}

bool Storage::change(const Event &e, const std::vector<Posting> &news) {
  const std::lock_guard guard(both_lock_);
  const auto row = events_->get(e.id);
  if (!row || row->retained != e.retained) return false;
  records_.put(e);
  return events_->change(e, news);
}

std::optional<Event> Storage::set_retained(const std::string &id, bool retained) {
  const std::lock_guard guard(both_lock_);
  auto e = events_->get(id);
  if (!e) return std::nullopt;
  e->retained = retained;
  records_.put(*e);
  events_->set_retained(id, retained);
  return e;
}

bool Storage::remove(const Event &e) {
  const std::lock_guard guard(both_lock_);
  for (const std::string &below : {clip_path(e), thumb_path(e), record_path(e)}) {
    const std::string path = file(below);
    remove_file(path);
    std::error_code error;
    const fs::path folder = fs::path(path).parent_path();
    sync_folder(folder.string());
    fs::remove(folder, error); // only when it is empty
  }
  return events_->remove(e.id);
}

void Storage::free_name(const std::string &path) {
  if (const std::string moved = move_barred_aside(path); !moved.empty()) reports_.add(moved);
}

void Storage::write_file(const std::string &below, const std::string &bytes) {
  const std::string path = file(below);
  free_name(path);
  std::error_code error;
  fs::create_directories(fs::path(path).parent_path(), error);
  replace_file(path, {reinterpret_cast<const std::uint8_t *>(bytes.data()), bytes.size()});
}

void Storage::append_line(const std::string &below, const std::string &line) {
  const std::string path = file(below), whole = line + '\n';
  free_name(path);
  const int descriptor = open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor < 0) fail(Error::Kind::write, "cannot write ", path, ": ", std::strerror(errno));
  struct stat info {};
  const bool measured = fstat(descriptor, &info) == 0;
  bool written = measured;
  for (std::size_t done = 0; written && done < whole.size();) {
    const ssize_t n = write(descriptor, whole.data() + done, whole.size() - done);
    if (n > 0)
      done += static_cast<std::size_t>(n);
    else
      written = n < 0 && errno == EINTR;
  }
  written = written && fsync(descriptor) == 0;
  const int why = errno;
  // Where even this fails, half of a line stays, and the next start finds it.
  if (!written && measured) std::ignore = ftruncate(descriptor, info.st_size);
  close(descriptor);
  if (!written) fail(Error::Kind::write, "cannot write ", path, ": ", std::strerror(why));
}

} // namespace vigil::monitor
