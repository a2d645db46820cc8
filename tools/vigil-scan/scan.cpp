// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scan.h"

#include "archive.h"
#include "common/error.h"
#include "source_file.h"
#include "tools/base/lines.h"
#include "tools/base/media_files.h"
#include "tools/base/progress.h"
#include "tools/base/side_by_side.h"
#include "vigil-config.h"
#include "watch.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace vigil::scan {

namespace {

struct Unit { // of work
  SourceFile file;
  Part part;
  int parts = 1;
};

// One line a path; empty lines and those that begin with # are passed over.
void read_list(std::istream &in, std::vector<std::string> &paths) {
  int number = 0;
  for (std::string line; tools::next_line(in, line, number);)
    if (!line.empty() && line[0] != '#') paths.push_back(line);
}

struct Given {                       // on the command line and in lists
  std::vector<std::string> paths;    // of files
  std::vector<std::string> unusable; // folders: why there is nothing to do in them
};

Given find_files(const ScanOptions &o) {
  std::vector<std::string> words = o.files;
  for (const std::string &list : o.lists) {
    if (list == "-") {
      read_list(std::cin, words);
      continue;
    }
    std::ifstream in(list);
    if (!in) fail(Error::Kind::io, "cannot read the list ", list);
    read_list(in, words);
  }
  Given given;
  for (const std::string &path : words) {
    std::error_code ignored; // of what is no folder look_at() says more
    if (!std::filesystem::is_directory(path, ignored)) {
      given.paths.push_back(path);
      continue;
    }
    try {
      std::vector<std::string> others;
      for (std::string &file : tools::expand({path}, tools::Media::videos, &others))
        given.paths.push_back(std::move(file));
      if (!others.empty())
        std::fprintf(
            stderr,
            "note: in %s files are passed over whose names do not end as those of videos do: %s; a file "
            "that is named by itself is read whatever its name\n",
            path.c_str(), tools::endings_of(others).c_str());
    } catch (const Error &e) {
      given.unusable.emplace_back(e.what());
    } catch (const std::filesystem::filesystem_error &e) {
      given.unusable.push_back(text("the folder ", path, " cannot be read: ", e.what()));
    }
  }
  return given;
}

// A file as it is known before the work on the first one begins.
struct Surveyed {
  std::string path; // as it was given
  SourceFile file;
  Time duration = 0;        // 0: not known, or not asked for
  std::exception_ptr error; // why nothing is known of the file: look_at()'s, or duration_of()'s
};

using AskDuration = std::function<Time(const std::string &path)>; // on any thread

Surveyed survey_one(const std::string &path, const AskDuration &ask_duration) {
  Surveyed s;
  s.path = path;
  try {
    s.file = look_at(path);
    if (ask_duration) s.duration = ask_duration(s.file.path);
  } catch (...) {
    s.error = std::current_exception();
  }
  return s;
}

// In the order of the paths. Several files are looked at side by side: storage that answers slowly would make
// the sum of its answers the time until the work begins. An empty function asks for no durations.
std::vector<Surveyed> survey(const std::vector<std::string> &paths, const AskDuration &ask_duration) {
  constexpr std::size_t most_threads = 8;
  std::vector<Surveyed> all(paths.size());
  std::atomic<std::size_t> next = 0;
  tools::side_by_side(std::min(most_threads, paths.size()), [&] {
    for (std::size_t i = next++; i < paths.size(); i = next++) all[i] = survey_one(paths[i], ask_duration);
  });
  return all;
}

class Scanner {
 public:
  Scanner(const ScanOptions &o, const Given &given, tools::SharedContexts &contexts)
      : o_(o), given_(given), with_vectors_(!o.chain.model.empty()), archive_(o.out, how(), with_vectors_),
        contexts_(contexts), turns_(o.jobs) {}
  Outcome run();

 private:
  Json how() const;
  void find_units();
  void add_units(const Surveyed &);
  void work();
  void work_on(const Unit &);
  void finish_if_all_there(const Unit &, const Findings &);
  void failed(const std::string &path, const std::string &name, const std::string &reason);
  void say(const std::string &);
  const ScanOptions &o_;
  const Given &given_;
  const bool with_vectors_;
  Archive archive_;
  tools::SharedContexts &contexts_;
  Turns turns_;
  std::vector<Unit> units_;
  std::set<std::string> known_; // paths
  std::atomic<std::size_t> next_ = 0;
  std::mutex mutex_; // of what follows
  Outcome outcome_;
  std::exception_ptr error_;
  std::optional<tools::Progress> progress_;
};

Json Scanner::how() const {
  Json j;
  j["vigil-scan"] = VIGIL_VERSION;
  // Version of their format. 1: an event of motion lasted motion-hold too long. 2: times of transport streams
  // counted from the first clock reference, pictures were not turned.
  j["results"] = 3;
  j["chain"] = o_.chain.elements;
  j["split_seconds"] = double(o_.split) / double(second);
  j["warm_up_seconds"] = o_.split ? double(o_.chain.warm_up) / double(second) : 0.0;
  if (with_vectors_)
    j["vectors"] = {{"model", o_.chain.model},
                    {"sha256", sha256_of_file(o_.chain.model)},
                    {"every_seconds", double(o_.chain.vectors_every) / double(second)}};
  else
    j["vectors"] = nullptr;
  return j;
}

void Scanner::say(const std::string &words) {
  if (progress_) progress_->clear();
  std::fprintf(stderr, "%s\n", words.c_str());
}

void Scanner::failed(const std::string &path, const std::string &name, const std::string &reason) {
  archive_.put_failure(path, name, reason);
  const std::lock_guard lock(mutex_);
  outcome_.failed++;
  say("failed: " + reason);
}

// Which units there are depends on the files alone, so that tasks on several machines divide them alike.
void Scanner::find_units() {
  for (const std::string &reason : given_.unusable) {
    outcome_.failed++;
    say("failed: " + reason);
  }
  AskDuration ask;
  if (o_.split > 0) ask = [this](const std::string &path) { return duration_of(path, contexts_, turns_); };
  for (const Surveyed &s : survey(given_.paths, ask)) {
    try {
      if (s.error) std::rethrow_exception(s.error);
      if (!known_.insert(s.file.path).second)
        say("note: " + s.path + " was named before, as " + s.file.path);
      else
        add_units(s);
    } catch (const Error &e) {
      if (e.kind() != Error::Kind::io && e.kind() != Error::Kind::bad_data) throw;
      failed(s.path, name_of(s.path), e.what());
    }
  }
  std::vector<Unit> mine;
  for (std::size_t i = 0; i < units_.size(); i++)
    if (o_.task.has(i)) mine.push_back(units_[i]);
  units_ = std::move(mine);
}

void Scanner::add_units(const Surveyed &s) {
  if (o_.split && s.duration == 0)
    say("note: " + s.file.path + " does not say how long it is, and is not split");
  const int parts = o_.split ? std::max(1, static_cast<int>((s.duration + o_.split - 1) / o_.split)) : 1;
  for (int p = 0; p < parts; p++)
    units_.push_back({s.file, {p, p * o_.split, p + 1 == parts ? forever : (p + 1) * o_.split}, parts});
}

void Scanner::finish_if_all_there(const Unit &unit, const Findings &found) {
  std::vector<Findings> all;
  for (int p = 0; p < unit.parts; p++) {
    if (p == found.part.index) {
      all.push_back(found);
      continue;
    }
    auto other = archive_.part(unit.file, p);
    if (!other) return; // who makes it finishes the file
    all.push_back(std::move(*other));
  }
  archive_.finish(unit.file, all);
}

void Scanner::work_on(const Unit &unit) {
  const auto count = [&](int Outcome::*what) {
    const std::lock_guard lock(mutex_);
    outcome_.*what += 1;
    progress_->step();
  };
  if (archive_.done(unit.file)) {
    archive_.remove_part(unit.file, unit.part.index); // a run before may have ended before it did
    return count(&Outcome::skipped);
  }
  if (unit.parts > 1)
    if (const auto there = archive_.part(unit.file, unit.part.index)) {
      finish_if_all_there(unit, *there); // a run before may have ended between the last part and this
      return count(&Outcome::skipped);
    }
  try {
    const Findings found = watch(unit.file.path, unit.part, o_.chain, contexts_, turns_);
    if (look_at(unit.file.path).digest != unit.file.digest)
      fail(Error::Kind::bad_data, unit.file.path, " changed while it was read");
    if (unit.parts > 1) archive_.put_part(unit.file, found);
    finish_if_all_there(unit, found);
    if (!found.broken_off.empty()) {
      const std::lock_guard lock(mutex_);
      outcome_.broken_off++;
      say("broken off: " + unit.file.path + ": " + found.broken_off);
    }
    count(&Outcome::done);
  } catch (const Error &e) {
    if (e.kind() != Error::Kind::io && e.kind() != Error::Kind::bad_data) throw;
    failed(unit.file.path, unit.file.name, e.what());
  }
}

void Scanner::work() {
  try {
    for (std::size_t i = next_++; i < units_.size(); i = next_++) work_on(units_[i]);
  } catch (...) { // a full disk, an element that is missing: the others end after their unit
    const std::lock_guard lock(mutex_);
    if (!error_) error_ = std::current_exception();
    next_ = units_.size();
  }
}

Outcome Scanner::run() {
  find_units();
  progress_.emplace("parts of files", units_.size(), 1);
  tools::side_by_side(std::min(2 * static_cast<std::size_t>(o_.jobs), units_.size()), [this] { work(); });
  progress_->clear();
  if (error_) std::rethrow_exception(error_);
  archive_.remove_left_behind();
  return outcome_;
}

} // namespace

Outcome scan(const ScanOptions &o) {
  tools::SharedContexts contexts;
  const Given given = find_files(o);
  check_chain(o.chain, contexts, given.paths); // before the folder is made
  return Scanner(o, given, contexts).run();
}

} // namespace vigil::scan
