// SPDX-License-Identifier: LGPL-2.1-or-later
// What a start does with the recording that a killed program left. Segments that were being written are cut
// after their last whole fragment. Of all others only the names are read: a file without a row gets one,
// and a row whose file is certainly gone goes. Damaged files, and files with other names, stay as they are.
#pragma once

#include "index.h"
#include "segment.h"

#include <functional>
#include <optional>
#include <string>

namespace vigil::monitor {

// Reads a segment's file from its own bytes; with `cut`, it is cut after the last whole fragment. Empty
// when it holds none. Throws Error::io and Error::write.
std::optional<Segment> read_segment_file(const std::string &path, const std::string &id, bool cut);

class RecordingRecovery {
 public:
  using Log = std::function<void(const std::string &)>;
  // `folder`: the storage folder.
  RecordingRecovery(RecordingIndex &index, std::string folder, Log log)
      : index_(index), folder_(std::move(folder)), log_(std::move(log)) {}

  void close_open(); // before anything is recorded
  // Names and rows; takes seconds where there are millions. False: the folder cannot be read.
  bool compare();

 private:
  std::string file(const std::string &id) const { return folder_ + "/" + recording_path(id); }
  RecordingIndex &index_;
  const std::string folder_;
  const Log log_;
};

} // namespace vigil::monitor
