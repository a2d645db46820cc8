// SPDX-License-Identifier: LGPL-2.1-or-later
// Chooses the key frames of which previews are made (preview_maker.h). Used with Recording's lock held.
#pragma once

#include "picture_queue.h"
#include "preview_maker.h"

#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

namespace vigil::monitor {

class PreviewKeys {
 public:
  // A key frame of this segment, which began at `start`.
  void add(const PictureQueue::Picture &p, const std::string &segment, std::int64_t start) {
    if (last_ != 0 && std::abs(p.decoded - last_) < PreviewMaker::least_apart) return;
    last_ = p.decoded;
    keys_.push_back({gst::BufferPtr(gst_buffer_ref(p.buffer.get())), segment, p.decoded - start});
  }
  void clear() { keys_.clear(); }
  std::vector<KeyPicture> take() { return std::exchange(keys_, {}); }

 private:
  std::vector<KeyPicture> keys_;
  std::int64_t last_ = 0;
};

} // namespace vigil::monitor
