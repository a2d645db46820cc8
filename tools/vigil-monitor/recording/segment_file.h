// SPDX-License-Identifier: LGPL-2.1-or-later
// One segment's file while it is written: it ends with a whole fragment at any time, except the one that is
// being written. Belongs to one thread, which waits for the disk. Knows no GStreamer.
#pragma once

#include <cstdint>
#include <string>
#include <sys/uio.h>
#include <vector>

namespace vigil::monitor {

class SegmentFile {
 public:
  // Makes the folder, and a new file. Throws Error::write; disk_is_full() then says whether that is why.
  SegmentFile(const std::string &path, const std::string &header);
  ~SegmentFile();
  SegmentFile(const SegmentFile &) = delete;
  SegmentFile &operator=(const SegmentFile &) = delete;

  // All of it or nothing. Throws Error::write.
  void append(std::vector<iovec> parts);
  void sync();          // what was appended outlasts a power cut; throws Error::write
  bool is_gone() const; // somebody removed the file
  std::int64_t bytes() const { return bytes_; }

  // Of the write or sync that failed last on this thread.
  static bool disk_is_full();

 private:
  [[noreturn]] void refuse(const char *what, int why) const;
  const std::string path_;
  int file_ = -1;
  std::int64_t bytes_ = 0;
};

} // namespace vigil::monitor
