// SPDX-License-Identifier: LGPL-2.1-or-later
#include "exports.h"

#include "../camera/utc.h"
#include "../store/event.h"
#include "common/error.h"
#include "common/guarded.h"
#include "sha256.h"

#include <algorithm>
#include <chrono>
#include <sys/resource.h>
#include <utility>

namespace vigil::monitor {

Exports::Exports(const std::string &folder, ExportSource source, Log log)
    : folder_(folder, log), source_(std::move(source)), log_(std::move(log)) {
  for (ExportJob &j : folder_.load()) {
    std::string id = j.id;
    jobs_[std::move(id)] = std::move(j);
  }
}

Exports::~Exports() {
  stop();
}

void Exports::start() {
  for (const bool encodes : {false, true})
    threads_.emplace_back([this, encodes] { guard("exports", [&] { run(encodes); }); }); // guarded
}

void Exports::stop() {
  {
    const std::lock_guard held(lock_);
    ended_ = true;
    for (const auto &[id, progress] : running_) progress->cancelled = true;
  }
  changed_.notify_all();
  for (std::thread &t : threads_) t.join();
  threads_.clear();
}

ExportJob Exports::add(ExportRequest request, const std::string &who, double now) {
  ExportJob j;
  j.id = new_export_id(now);
  j.who = who;
  j.request = std::move(request);
  j.created = now;
  {
    const std::lock_guard held(lock_);
    const auto waiting = static_cast<std::size_t>(
        std::count_if(jobs_.begin(), jobs_.end(), [](const auto &k) { return !k.second.has_ended(); }));
    if (waiting + storing_ >= most_queued)
      throw TooManyExports(text(waiting + storing_,
                                " exports wait already; ask again when some of them are done, or "
                                "cancel some"));
    if (jobs_.size() + storing_ >= most_kept)
      throw TooManyExports(text(jobs_.size(), " exports are kept already; delete some"));
    storing_++;
  }
  try {
    const std::lock_guard disk(disk_lock_);
    folder_.save(j);
  } catch (...) {
    const std::lock_guard held(lock_);
    storing_--;
    throw;
  }
  const std::lock_guard held(lock_);
  storing_--;
  jobs_[j.id] = j;
  changed_.notify_all();
  return j;
}

std::optional<ExportJob> Exports::get(const std::string &id) const {
  const std::lock_guard held(lock_);
  const auto j = jobs_.find(id);
  if (j == jobs_.end()) return std::nullopt;
  ExportJob out = j->second;
  if (const auto r = running_.find(id); r != running_.end()) out.progress = r->second->share;
  return out;
}

std::vector<ExportJob> Exports::all() const {
  std::vector<ExportJob> out;
  const std::lock_guard held(lock_);
  for (const auto &[id, job] : jobs_) {
    out.push_back(job);
    if (const auto r = running_.find(id); r != running_.end()) out.back().progress = r->second->share;
  }
  std::sort(out.begin(), out.end(), [](const ExportJob &a, const ExportJob &b) {
    return std::pair(a.created, a.id) > std::pair(b.created, b.id);
  });
  return out;
}

std::optional<ExportJob> Exports::cancel_or_remove(const std::string &id, double now) {
  using State = ExportJob::State;
  std::optional<ExportJob> ended;
  {
    std::unique_lock held(lock_);
    const auto j = jobs_.find(id);
    if (j == jobs_.end()) return std::nullopt;
    if (const auto r = running_.find(id); r != running_.end()) {
      r->second->cancelled = true;
      constexpr std::chrono::seconds patience(5);
      changed_.wait_for(held, patience, [&] { return !running_.count(id); });
      const auto now_it_is = jobs_.find(id);
      if (now_it_is == jobs_.end()) return std::nullopt;
      return now_it_is->second;
    }
    if (j->second.state == State::queued) {
      j->second.state = State::cancelled;
      j->second.ended = now;
      ended = j->second;
    }
  }
  const std::lock_guard disk(disk_lock_);
  if (ended) {
    folder_.save(*ended);
    return ended;
  }
  const auto job = get(id); // another one may have removed it meanwhile
  if (job) remove(*job);
  return job;
}

void Exports::remove(const ExportJob &job) {
  folder_.remove(job);
  const std::lock_guard held(lock_);
  jobs_.erase(job.id);
}

void Exports::forget(double before) {
  const std::lock_guard disk(disk_lock_);
  for (const ExportJob &job : all()) {
    if (!job.ended || *job.ended >= before) continue;
    try {
      remove(job);
      log_("retention: deleted export " + job.id + ", which ended " + utc_timestamp(*job.ended));
    } catch (const Error &e) { // the next pass tries again
      log_(text("retention: the export ", job.id, " cannot be deleted: ", e.what()));
    }
  }
}

std::string Exports::signature(const std::string &id, std::size_t file, std::int64_t until) {
  const std::lock_guard held(key_lock_);
  if (key_.empty()) key_ = folder_.link_key();
  return monitor::signature(key_, text(id, " ", file, " ", until));
}

ExportJob *Exports::next(bool encodes) {
  ExportJob *oldest = nullptr;
  for (auto &[id, job] : jobs_)
    if (job.state == ExportJob::State::queued && job.request.encodes() == encodes &&
        (!oldest || std::pair(job.created, job.id) < std::pair(oldest->created, oldest->id)))
      oldest = &job;
  return oldest;
}

void Exports::run(bool encodes) {
  constexpr int niceness = 10;
  setpriority(PRIO_PROCESS, 0, niceness); // of this thread: cameras come first
  std::unique_lock held(lock_);
  for (;;) {
    changed_.wait(held, [&] { return ended_ || next(encodes); });
    if (ended_) return;
    ExportJob &job = *next(encodes);
    job.state = ExportJob::State::running;
    running_[job.id] = std::make_shared<ExportProgress>();
    ExportJob copy = job;
    held.unlock();
    guard("an export", [&] { work(std::move(copy)); });
    held.lock();
  }
}

void Exports::work(ExportJob job) {
  using State = ExportJob::State;
  std::shared_ptr<ExportProgress> progress;
  {
    const std::lock_guard held(lock_);
    progress = running_[job.id];
  }
  try {
    job.files = run_export(job.request, source_, folder_.path() + "/" + job.id, *progress);
    job.state = State::done;
    job.progress = 1;
  } catch (const ExportCancelled &) {
    job.state = State::cancelled;
  } catch (const std::exception &e) {
    job.state = State::failed;
    job.reason = e.what();
  }
  {
    const std::lock_guard held(lock_);
    if (ended_ && job.state == State::cancelled) { // by the program's end: it begins anew
      running_.erase(job.id);
      return;
    }
  }
  job.ended = Utc::system_seconds();
  finish(std::move(job));
}

void Exports::finish(ExportJob job) {
  using State = ExportJob::State;
  {
    const std::lock_guard disk(disk_lock_);
    const auto store = [&] {
      try {
        if (job.state != State::done) folder_.remove_files(job);
        folder_.save(job);
        return true;
      } catch (const std::exception &e) {
        if (job.state == State::done) {
          job.state = State::failed;
          job.files.clear();
        }
        if (job.reason.empty()) job.reason = e.what();
        return false;
      }
    };
    // Without the files there is room for the record.
    if (!store() && !store())
      log_(text("the end of the export ", job.id,
                " could not be stored; it begins anew with the next start: ", job.reason));
    const std::lock_guard held(lock_);
    running_.erase(job.id);
    jobs_[job.id] = job;
  }
  changed_.notify_all();
  on_end(job);
}

} // namespace vigil::monitor
