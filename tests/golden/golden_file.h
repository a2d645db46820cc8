// SPDX-License-Identifier: LGPL-2.1-or-later
// A file of golden vectors: lines of text, of which the last is "end", then bytes.
#pragma once

#include "common/error.h"

#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace vigil::test {

class GoldenFile {
 public:
  explicit GoldenFile(const char *path) : file_(path, std::ios::binary) {
    if (!file_) fail(Error::Kind::io, "cannot open ", path);
  }
  // Calls fn(what, line) for each line of text: `what` is its first word, `line` gives the words after that.
  template <class Fn>
  void each_line(Fn fn) {
    for (std::string text; std::getline(file_, text) && text != "end";) {
      std::istringstream line(text);
      std::string what;
      line >> what;
      fn(what, line);
    }
  }
  // The next bytes, after the text.
  std::vector<std::uint8_t> take(std::size_t bytes) {
    std::vector<std::uint8_t> b(bytes);
    take(b.data(), bytes);
    return b;
  }
  void take(void *to, std::size_t bytes) {
    if (!file_.read(static_cast<char *>(to), std::streamsize(bytes)))
      fail(Error::Kind::bad_data, "the file ends before its last case");
  }

 private:
  std::ifstream file_;
};

} // namespace vigil::test
