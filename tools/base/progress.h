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
  // `total` 0: not known.
  Progress(std::string what, std::uint64_t total) : what_(std::move(what)), total_(total) {}
  ~Progress() {
    if (shown_) std::fputs("\r\033[K", stderr);
  }
  Progress(const Progress &) = delete;
  Progress &operator=(const Progress &) = delete;
  void step() {
    constexpr std::uint64_t every = 25;
    if (++done_ % every || !terminal_) return;
    shown_ = true;
    std::fprintf(stderr, "\r\033[K%s: %llu", what_.c_str(), static_cast<unsigned long long>(done_));
    if (total_) std::fprintf(stderr, " of %llu", static_cast<unsigned long long>(total_));
  }

 private:
  const std::string what_;
  const std::uint64_t total_;
  const bool terminal_ = isatty(STDERR_FILENO) != 0;
  std::uint64_t done_ = 0;
  bool shown_ = false;
};

} // namespace vigil::tools
