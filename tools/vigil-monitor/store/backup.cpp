// SPDX-License-Identifier: LGPL-2.1-or-later
#include "backup.h"

#include "audit_files.h"
#include "common/error.h"
#include "common/file.h"
#include "event.h"
#include "event_store.h"
#include "folder_owner.h"
#include "salvage.h"
#include "sqlite.h"
#include "storage.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <glib.h>
#include <memory>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace vigil::monitor {
namespace fs = std::filesystem;
namespace {

constexpr const char *databases[] = {"events.db", "motion.db"};
constexpr const char *always[] = {"overrides.json", "token",  "vapid.key",   "administrators",
                                  "events.jsonl",   "events", "audit.jsonl", "models",
                                  "masks",          "labels"};
constexpr const char *of_clips[] = {"clips", "thumbs"};
constexpr const char *of_recordings[] = {"recordings", "exports"};

bool is_part(const std::string &name) {
  const auto in = [&](const auto &list) {
    return std::find(std::begin(list), std::end(list), name) != std::end(list);
  };
  return in(databases) || in(always) || in(of_clips) || in(of_recordings) || name.starts_with("audit.jsonl.");
}

// A folder that goes with all that is in it.
class Draft {
 public:
  explicit Draft(std::string path) : path_(std::move(path)) {
    std::error_code error;
    fs::remove_all(path_, error);
    if (mkdir(path_.c_str(), 0700))
      fail(Error::Kind::write, "cannot make the folder ", path_, ": ", std::strerror(errno));
  }
  ~Draft() {
    std::error_code error;
    fs::remove_all(path_, error);
  }
  Draft(const Draft &) = delete;
  Draft &operator=(const Draft &) = delete;
  const std::string &path() const { return path_; }

 private:
  const std::string path_;
};

void copy_database(const std::string &from, const std::string &to) {
  const Sqlite source(from, Sqlite::Mode::read_only);
  const Sqlite copy(to);
  sqlite3_backup *b = sqlite3_backup_init(copy.get(), "main", source.get(), "main");
  if (!b) copy.refuse("cannot be written");
  constexpr int all = -1; // at once: a snapshot, while others go on writing
  const int done = sqlite3_backup_step(b, all);
  sqlite3_backup_finish(b);
  if (done != SQLITE_DONE)
    fail(Error::Kind::io, "cannot copy the database ", from, ": ", sqlite3_errstr(done));
}

void run_tar(std::vector<std::string> words, const std::string &what) {
  words.insert(words.begin(), "tar");
  std::vector<char *> argv;
  for (std::string &w : words) argv.push_back(w.data());
  argv.push_back(nullptr);
  gchar *said = nullptr;
  GError *error = nullptr;
  int status = 0;
  const bool ran = g_spawn_sync(nullptr, argv.data(), nullptr, G_SPAWN_SEARCH_PATH, nullptr, nullptr, nullptr,
                                &said, &status, &error);
  const std::unique_ptr<gchar, void (*)(void *)> text(said, g_free);
  const std::unique_ptr<GError, void (*)(GError *)> owner(error, g_error_free);
  if (!ran) fail(Error::Kind::io, what, ": cannot run tar: ", error->message);
  constexpr int changed = 1; // "file changed as we read it"
  if (WIFEXITED(status) && (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == changed)) return;
  constexpr std::size_t most = 500;
  fail(Error::Kind::io, what, ": tar failed: ", std::string(text ? text.get() : "").substr(0, most));
}

std::string stamp() {
  const double now =
      std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
  std::string out = utc_timestamp(now);
  std::erase_if(out, [](char c) { return c == '-' || c == ':'; });
  return out;
}

// Nothing but the files and folders that a backup has.
void check_names(const std::string &folder) {
  bool database = false;
  for (const auto &entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename();
    if (!is_part(name))
      fail(Error::Kind::bad_data, "the backup has '", name, "', which is no part of a backup");
    database = database || name == "events.db";
  }
  for (const auto &entry : fs::recursive_directory_iterator(folder))
    if (!fs::is_directory(entry.symlink_status()) && !fs::is_regular_file(entry.symlink_status()))
      fail(Error::Kind::bad_data, "the backup has '", entry.path().filename().string(),
           "', which is no plain file");
  if (!database)
    fail(Error::Kind::bad_data, "the backup has no events.db: it is not whole, or is another archive");
}

} // namespace

void make_backup(const std::string &storage, const std::string &file, const BackupParts &parts) {
  if (!fs::exists(storage + "/events.db"))
    fail(Error::Kind::io, "there is no database in ", storage,
         "; name the storage folder by --config or --storage");
  const Draft draft(storage + "/backup.tmp");
  // Compressed by the ending of the name: what is being written keeps it.
  const fs::path whole = fs::absolute(file);
  const std::string part = (whole.parent_path() / (".part-" + whole.filename().string())).string();
  std::vector<std::string> words = {"--create",
                                    "--auto-compress",
                                    "--file",
                                    part,
                                    "--ignore-failed-read",
                                    "--warning=no-file-changed",
                                    "--exclude=*.part",
                                    "--exclude=*.tmp",
                                    "--directory",
                                    draft.path()};
  for (const char *name : databases)
    if (fs::exists(storage + "/" + name)) {
      copy_database(storage + "/" + name, draft.path() + "/" + name);
      words.emplace_back(name);
    }
  words.insert(words.end(), {"--directory", fs::absolute(storage).string()});
  const auto add = [&](const std::string &name) {
    if (fs::exists(storage + "/" + name)) words.push_back(name);
  };
  for (const char *name : always) add(name);
  for (int n = 1; n <= old_audit_files; n++) add(audit_file("audit.jsonl", n));
  if (parts.clips)
    for (const char *name : of_clips) add(name);
  if (parts.recordings)
    for (const char *name : of_recordings) add(name);
  const int fd = open(part.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600); // it holds secrets
  if (fd < 0) fail(Error::Kind::write, "cannot write ", part, ": ", std::strerror(errno));
  try {
    run_tar(std::move(words), "the backup");
    if (fsync(fd)) fail(Error::Kind::write, "cannot write ", part, ": ", std::strerror(errno));
    if (std::rename(part.c_str(), whole.c_str()))
      fail(Error::Kind::write, "cannot write ", whole.string(), ": ", std::strerror(errno));
  } catch (...) {
    close(fd);
    unlink(part.c_str());
    throw;
  }
  close(fd);
  sync_folder_of(whole.string());
}

std::string restore_backup(const std::string &storage, const std::string &file) {
  std::error_code error;
  fs::create_directories(storage, error);
  need_own_folder(storage);
  const FolderLock lock(storage);
  if (!fs::exists(file)) fail(Error::Kind::io, "there is no file ", file);
  const Draft draft(storage + "/restore.tmp");
  try {
    run_tar(
        {"--extract", "--file", fs::absolute(file).string(), "--directory", draft.path(), "--no-same-owner"},
        "the backup " + file);
  } catch (const Error &e) {
    fail(Error::Kind::bad_data, e.what());
  }
  check_names(draft.path());
  check_database(draft.path() + "/events.db");
  { const EventStore known(draft.path() + "/events.db"); } // throws where a newer program has made it
  for (const char *end : {"/events.db-wal", "/events.db-shm"}) fs::remove(draft.path() + end, error);
  std::vector<std::string> names;
  for (const auto &entry : fs::directory_iterator(draft.path())) names.push_back(entry.path().filename());
  const std::string before = storage + "/before-restore-" + stamp();
  bool replaced = false;
  const auto move_away = [&](const std::string &name) {
    if (!fs::exists(storage + "/" + name)) return;
    fs::create_directories(before);
    fs::permissions(before, fs::perms::owner_all);
    fs::rename(storage + "/" + name, before + "/" + name);
    replaced = true;
  };
  try {
    for (const std::string &name : names) {
      move_away(name);
      if (name.ends_with(".db"))
        for (const char *end : {"-wal", "-shm"}) move_away(name + end);
      fs::rename(draft.path() + "/" + name, storage + "/" + name);
    }
  } catch (const fs::filesystem_error &e) {
    fail(Error::Kind::write, e.what(), "; the rest of the backup is not restored, and what was there is in ",
         before);
  }
  sync_folder_of(storage + "/events.db");
  return replaced ? before : "";
}

} // namespace vigil::monitor
