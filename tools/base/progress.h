// SPDX-License-Identifier: LGPL-2.1-or-later
// One line on a terminal, rewritten as frames go by and gone at the end; nothing where stderr is no terminal.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <unistd.h>

namespace vigil::tools {

class Progress {
 public:
  // `total` 0: not known. The line is rewritten after every so many steps.
  Progress(std::string what, std::uint64_t total, std::uint64_t every = 25)
      : what_(std::move(what)), total_(total), every_(every) {}
  ~Progress() { clear(); }
  Progress(const Progress &) = delete;
  Progress &operator=(const Progress &) = delete;
  // Takes the line away, so that something else can be printed.
  void clear() {
    if (shown_) std::fputs("\r\033[K", stderr);
    shown_ = false;
  }
  void step() {
    if (++done_ % every_ || !terminal_) return;
    shown_ = true;
    std::fprintf(stderr, "\r\033[K%s: %llu", what_.c_str(), static_cast<unsigned long long>(done_));
    if (total_) std::fprintf(stderr, " of %llu", static_cast<unsigned long long>(total_));
  }

 private:
  const std::string what_;
  const std::uint64_t total_, every_;
  const bool terminal_ = isatty(STDERR_FILENO) != 0;
  std::uint64_t done_ = 0;
  bool shown_ = false;
};

} // namespace vigil::tools
