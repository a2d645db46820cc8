// SPDX-License-Identifier: LGPL-2.1-or-later
// One after another, of few who wait: for what is dear, as looking at a password is.
#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <string>

namespace vigil::monitor {

class Turns {
 public:
  static constexpr std::size_t most = 16, most_of_one = 2; // who have the turn or wait for it

  class Turn {
   public:
    // Waits until it is its turn. False: too many wait already, and it has none.
    Turn(Turns &turns, std::string who) : turns_(turns), who_(std::move(who)) {
      {
        const std::lock_guard guard(turns_.lock_);
        std::size_t &own = turns_.of_[who_];
        has_ = turns_.all_ < most && own < most_of_one;
        if (has_) {
          turns_.all_++;
          own++;
        } else if (own == 0) {
          turns_.of_.erase(who_);
        }
      }
      if (has_) turns_.work_.lock();
    }
    ~Turn() {
      if (!has_) return;
      turns_.work_.unlock();
      const std::lock_guard guard(turns_.lock_);
      turns_.all_--;
      if (--turns_.of_[who_] == 0) turns_.of_.erase(who_);
    }
    Turn(const Turn &) = delete;
    Turn &operator=(const Turn &) = delete;
    explicit operator bool() const { return has_; }

   private:
    Turns &turns_;
    const std::string who_;
    bool has_ = false;
  };

 private:
  std::mutex lock_, work_;
  std::size_t all_ = 0;
  std::map<std::string, std::size_t> of_;
};

} // namespace vigil::monitor
