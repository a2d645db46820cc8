// SPDX-License-Identifier: LGPL-2.1-or-later
// All exports: those that wait, run and have ended. Two threads work them off, the oldest first: one copies,
// one has pictures encoded. All methods may be called from any thread, and wait for the disk where they
// change something.
#pragma once

#include "export_folder.h"
#include "export_run.h"

#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace vigil::monitor {

struct TooManyExports : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Exports {
 public:
  using Log = std::function<void(const std::string &)>;
  static constexpr std::size_t most_queued = 100, most_kept = 1000;

  // `folder`: below the storage folder. Those that had not ended begin anew with start().
  Exports(const std::string &folder, ExportSource, Log);
  ~Exports();
  Exports(const Exports &) = delete;
  Exports &operator=(const Exports &) = delete;
  void start();
  void stop(); // those that run begin anew with the next start of the program

  // Called when one has ended, on a thread of this object. Set it before start().
  std::function<void(const ExportJob &)> on_end = [](const ExportJob &) {};

  // It is on the disk when this returns. Throws TooManyExports, Error::write.
  ExportJob add(ExportRequest, const std::string &who, double now);
  std::optional<ExportJob> get(const std::string &id) const;
  std::vector<ExportJob> all() const; // the newest first
  std::string file(const ExportJob &job, const ExportFile &f) const { return folder_.file(job.id, f.name); }

  // One that waits or runs is cancelled, and stays in the list; one that has ended is removed with its files.
  // Nothing: there is none. Returns it as it is then, or was. Throws Error::write.
  std::optional<ExportJob> cancel_or_remove(const std::string &id, double now);
  // Removes those that ended before.
  void forget(double before);

  // Of a link to a file of an export, which holds until a time (seconds since 1970).
  std::string signature(const std::string &id, std::size_t file, std::int64_t until);

 private:
  void run(bool encodes);
  void work(ExportJob);
  void finish(ExportJob);
  ExportJob *next(bool encodes); // with the lock
  void remove(const ExportJob &);

  ExportFolder folder_;
  const ExportSource source_;
  const Log log_;
  mutable std::mutex lock_;
  std::condition_variable changed_;
  std::map<std::string, ExportJob> jobs_;
  std::map<std::string, std::shared_ptr<ExportProgress>> running_;
  std::size_t storing_ = 0; // that are not in the list yet
  bool ended_ = false;
  std::mutex disk_lock_; // taken before the other one: records change one after the other
  std::mutex key_lock_;
  std::string key_;
  std::vector<std::thread> threads_;
};

} // namespace vigil::monitor
