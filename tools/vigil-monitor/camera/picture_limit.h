// SPDX-License-Identifier: LGPL-2.1-or-later
// What a camera may ask of the program's memory. A camera says itself how large its pictures are, and a
// decoder takes memory for what it says.
#pragma once

#include <cstdint>
#include <deque>
#include <gst/gst.h>
#include <optional>
#include <string>

namespace vigil::monitor {

class PictureLimit {
 public:
  explicit PictureLimit(std::uint64_t max_pixels) : max_pixels_(max_pixels) {}

  // Why pictures of these caps are not taken; none when they are, or when the caps say no size.
  std::optional<std::string> refuses(const GstCaps *) const;
  // Each new size makes a new model of the background. Why another one is not taken: there were too many
  // within a minute. Of one thread.
  std::optional<std::string> changes(int width, int height, double now);

 private:
  const std::uint64_t max_pixels_;
  int width_ = 0, height_ = 0;
  std::deque<double> changes_; // times of the last ones
};

} // namespace vigil::monitor
