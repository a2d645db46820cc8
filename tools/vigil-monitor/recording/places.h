// SPDX-License-Identifier: LGPL-2.1-or-later
// Where the files of segments are.
#pragma once

#include "cold_folder.h"
#include "common/error.h"
#include "segment.h"

#include <memory>
#include <string>
#include <utility>

namespace vigil::monitor {

class RecordingPlaces {
 public:
  // `cold`: null where none is configured.
  RecordingPlaces(std::string storage, std::shared_ptr<ColdFolder> cold)
      : storage_(std::move(storage)), cold_(std::move(cold)) {}

  std::string hot(const std::string &id) const { return storage_ + "/" + recording_path(id); }
  // Throws Error::io where the segment is in the second folder, and that cannot be used now.
  std::string file(const Segment &s) const {
    if (!s.cold) return hot(s.id);
    if (!cold_)
      fail(Error::Kind::io,
           "the recording of this time is in a second folder, which the configuration does not"
           " name any more; write it at storage: cold: path");
    cold_->check();
    return cold_->file(recording_path(s.id));
  }
  const std::shared_ptr<ColdFolder> &cold() const { return cold_; }

 private:
  std::string storage_;
  std::shared_ptr<ColdFolder> cold_;
};

} // namespace vigil::monitor
