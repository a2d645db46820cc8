// SPDX-License-Identifier: LGPL-2.1-or-later
// What a camera's streaming threads share with the main thread. Knows no GStreamer.
#pragma once

#include "../config/config.h"
#include "../http/frames.h"
#include "activity.h"
#include "findings_feed.h"
#include "tiles.h"
#include "utc.h"

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace vigil::monitor {

struct CameraFeed {
  explicit CameraFeed(double fps) : plan(std::make_shared<TilePlan>(fps)) {}
  Activity activity;
  const std::shared_ptr<FindingsFeed> findings = std::make_shared<FindingsFeed>();
  std::shared_ptr<TilePlan> plan;
  std::atomic<bool> moving = false, wants_picture = false; // for an event's thumbnail
  // By the monotonic clock: when the newest frame that was looked at was captured, and when the connection
  // that goes on began.
  std::atomic<double> seen = 0, connected = 0;
  // UTC up to which frames were looked at. A chain that is late still reports motion of before now; an event
  // that ended or began by the clock would begin after the one that is reported next.
  double seen_until(const Utc &) const;

  struct Picture {
    Bytes jpeg;
    double time = 0, arrived = 0; // captured, UTC; here, by the monotonic clock
  };
  // The newest picture of a view, or null when none that arrived after `after` comes within the wait.
  Picture wait_picture(View, double after, std::chrono::milliseconds wait);
  void put_picture(View, Picture);
  void forget_pictures(); // what was shown must not be any more

  // Collected from frames for the events that go on.
  struct Seen {
    std::optional<Rect> box; // the largest
    double changed = 0;      // the largest
    std::vector<float> vector;
  };
  Seen take_seen();
  void see(const std::vector<Rect> &boxes, double area);
  void set_vector(std::vector<float>);

 private:
  std::mutex lock_;
  std::condition_variable new_picture_;
  std::array<Picture, view_names.size()> pictures_;
  Seen seen_;
};

} // namespace vigil::monitor
