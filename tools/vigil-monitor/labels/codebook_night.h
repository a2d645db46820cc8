// SPDX-License-Identifier: LGPL-2.1-or-later
// Each night the monitor makes a codebook of this site's own pictures, and takes it if the examples that
// people taught are named as well with it as before. A thread of its own; a crash at any moment leaves
// the codebook before in use.
#pragma once

#include "label_book.h"
#include "site_codebook.h"

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace vigil::monitor {

class CodebookNight {
 public:
  struct Surroundings {
    std::function<void(const std::string &)> log;
    // Ids of the last day's events, at most so many, and what each shows; empty: it shows nothing. On the
    // night's thread.
    std::function<std::vector<std::string>(std::size_t most)> events;
    std::function<label::Picture(const std::string &event)> picture;
  };
  // `folder`: where pictures lie while a codebook is made. `hour`: 0..23, by this machine's clock.
  CodebookNight(LabelBook &, SiteCodebook &, std::string folder, int hour, Surroundings);
  ~CodebookNight(); // ends what goes on

  // False: one is being made.
  bool make_now();
  nlohmann::json describe() const; // as GET /api/labels

 private:
  struct Outcome;
  void run();
  bool wait_for_turn(); // false: the program ends
  void make();
  std::vector<label::Picture> of_events(std::size_t most) const;
  Outcome try_codebook();

  LabelBook &book_;
  SiteCodebook &codebook_;
  const std::string folder_;
  const int hour_;
  const Surroundings around_;
  mutable std::mutex lock_;
  std::condition_variable asked_;
  bool wanted_ = false, making_ = false;
  nlohmann::json last_; // of the last one made; null: none since the start
  std::atomic<bool> ending_ = false;
  std::thread thread_; // last: it uses all above
};

} // namespace vigil::monitor
