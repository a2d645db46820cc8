// SPDX-License-Identifier: LGPL-2.1-or-later
// Whether a picture has stopped moving as a whole: a camera that turns changes most cells of a coarse
// picture, people change few. One thread looks; any thread asks. Knows no GStreamer.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace vigil::monitor {

class StillPicture {
 public:
  static constexpr std::size_t columns = 32, rows = 18;
  using Cells = std::array<std::uint8_t, columns * rows>; // mean brightness
  static constexpr double every = 0.2;                    // seconds between two looks
  static constexpr double still_after = 1;

  void forget() { known_ = seen_ = false; } // before it looks again
  bool due(double now) const { return !known_ || now - looked_ >= every; }
  void look(const Cells &, double now); // by the monotonic clock
  bool still(double now) const {
    return seen_ && now - changed_ >= still_after && now - looked_ < still_after;
  }

 private:
  Cells cells_{}; // when it last changed: a slow turn adds up
  std::atomic<bool> known_ = false, seen_ = false;
  std::atomic<double> changed_ = 0, looked_ = 0;
};

} // namespace vigil::monitor
