// SPDX-License-Identifier: LGPL-2.1-or-later
#include "stream_memory.h"

namespace vigil::monitor {

bool StreamMemory::keep(GstBuffer *buffer, double time, bool key) {
  if (key && !since_) since_ = time;
  latest_ = time;
  if (frames_.empty() && !key) return true; // nothing can be decoded before a key frame
  frames_.push_back({gst::BufferPtr(gst_buffer_ref(buffer)), time, key});
  bytes_ += gst_buffer_get_size(buffer);
  return drop_old();
}

// Whole groups of pictures go: what stays begins with a key frame and reaches back so many seconds.
bool StreamMemory::drop_old() {
  const double newest = frames_.back().time;
  for (;;) {
    std::size_t next_key = 1;
    while (next_key < frames_.size() && !frames_[next_key].key) next_key++;
    const bool spare = next_key < frames_.size() && frames_[next_key].time <= newest - seconds_;
    if (!spare && bytes_ <= most_bytes) return true;
    for (std::size_t i = 0; i < next_key; i++) {
      bytes_ -= gst_buffer_get_size(frames_.front().buffer.get());
      frames_.pop_front();
    }
    if (!frames_.empty()) continue;
    overruns_++;
    return false;
  }
}

void StreamMemory::forget() {
  frames_.clear();
  bytes_ = 0;
  since_.reset();
}

} // namespace vigil::monitor
