// SPDX-License-Identifier: LGPL-2.1-or-later
// Which track of a camera a detector looks at next: one that it has not seen yet, the newest first; then one
// that has grown, or that it saw long ago. A track is looked at `most_looks` times at most, in waits that
// become four times as long. Any thread.
#pragma once

#include "../config/geometry.h"

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

namespace vigil::monitor {

class CropPlan {
 public:
  static constexpr int most_looks = 3;

  struct Track {
    std::uint64_t id = 0;
    Rect box;              // 0..1 of the picture
    double vx = 0, vy = 0; // of the box, pictures a second
  };
  explicit CropPlan(double rate) : interval_(1 / rate) {}

  // Those of the newest frame, which was captured at `time` (seconds, of the stream). Others are hidden or
  // gone.
  void see(const std::vector<Track> &, double time);
  // The track that is to be cut out of a picture of this time, its box where it will be then. Nothing: none
  // is due. One that is returned counts as looked at.
  std::optional<Track> next(double time);

 private:
  struct Known {
    Track track;
    int looks = 0;
    double looked = 0, area = 0; // when, and the size then
    double seen = 0;             // on a frame for the last time
  };
  bool due(const Known &, double time) const;
  const double interval_; // seconds between two crops
  std::mutex lock_;
  std::map<std::uint64_t, Known> tracks_;
  double seen_ = 0;
  std::optional<double> last_;
};

} // namespace vigil::monitor
