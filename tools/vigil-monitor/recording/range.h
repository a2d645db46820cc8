// SPDX-License-Identifier: LGPL-2.1-or-later
// A range of a recording as one fragmented MP4 file, whose bytes are put together from the segments' files
// while they are read. The same range of the same segments is the same bytes.
//
// Time 0 is the key frame at or before the range's begin. Times go on as the clock did: where nothing was
// recorded the file has a hole. It ends where the stream becomes another one.
#pragma once

#include "segment.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace vigil::monitor {

class RecordingRange {
 public:
  enum class Which { all, keys }; // fragments; keys: those alone that begin with a key frame
  // `segments` in the order in which they were recorded; `file` says where one is. Empty when none of
  // them has a picture between `from` and `to`. Throws Error::io when the first file cannot be read.
  static std::optional<RecordingRange> make(const std::vector<Segment> &segments, std::int64_t from,
                                            std::int64_t to,
                                            const std::function<std::string(const Segment &)> &file,
                                            Which which = Which::all);

  std::uint64_t size() const { return size_; }
  std::int64_t start() const { return start_; } // of its first picture
  std::int64_t end() const { return end_; }     // of what it holds
  const std::string &codecs() const { return codecs_; }
  std::string tag() const; // equal for equal bytes

  // Reads the range's bytes one after the other, on one thread at a time.
  class Reader {
   public:
    Reader(std::shared_ptr<const RecordingRange>, std::uint64_t from, std::uint64_t length);
    ~Reader();
    Reader(const Reader &) = delete;
    Reader &operator=(const Reader &) = delete;
    // Puts the next bytes into the string, whose room is used again. False at the end, and when a file cannot
    // be read any more: then they are fewer than was said.
    bool next(std::string &);
    std::shared_ptr<const std::string> next(); // the same bytes in a string of their own; null for false

   private:
    bool fragment(std::size_t, std::string &);
    int open_again(std::size_t file) const;
    const std::shared_ptr<const RecordingRange> range_;
    std::uint64_t at_, left_;
    std::size_t open_ = SIZE_MAX; // which file
    int file_ = -1;
  };

 private:
  struct Piece {
    std::size_t file;
    std::int64_t offset;
    std::uint64_t at; // in the range
    std::uint32_t bytes;
    std::int64_t shift; // ticks
  };
  struct File {
    Segment segment; // without its fragments
    std::string path;
  };
  std::string init_, codecs_;
  std::function<std::string(const Segment &)> place_;
  std::vector<File> files_;
  std::vector<Piece> pieces_;
  std::uint64_t size_ = 0;
  std::int64_t start_ = 0, end_ = 0;
};

} // namespace vigil::monitor
