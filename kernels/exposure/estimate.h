// SPDX-License-Identifier: LGPL-2.1-or-later
// The lines of a frame from its samples, on the host: what backends that gather samples there share.
#pragma once

#include "kernels/exposure/samples.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace vigil::exposure {

// The usable samples of one channel, of at most max_samples that are added.
class Samples {
 public:
  Samples() : b_(max_samples + 1), y_(max_samples + 1) {} // one more, written before it is counted
  void clear() { count_ = all_ = 0; }
  // A pixel of the background and of the frame; `lost`: perhaps clipped in one of them.
  void add(int b, int y, bool lost = false) {
    b_[count_] = static_cast<std::uint8_t>(b);
    y_[count_] = static_cast<std::uint8_t>(y);
    count_ += !lost && usable(b, y);
    all_++;
  }
  const std::uint8_t *background() const { return b_.data(); }
  const std::uint8_t *frame() const { return y_.data(); }
  std::size_t count() const { return count_; } // that are usable
  bool enough(bool yuv) const { return are_enough(static_cast<int>(count_), static_cast<int>(all_), yuv); }

 private:
  std::vector<std::uint8_t> b_, y_;
  std::size_t count_ = 0, all_ = 0;
};

// Replaces the line of `channel` of the frame before by this frame's.
// Channel 0 comes first, since chroma takes its gain. yuv: channels 1 and 2 are chroma.
void update(Lines &, int channel, const Samples &, bool yuv);

} // namespace vigil::exposure
