// SPDX-License-Identifier: LGPL-2.1-or-later
#include "activity_report.h"

#include <cmath>
#include <utility>

namespace vigil::monitor {

ActivityReport::ActivityReport(std::string camera, CameraNews &news, std::shared_ptr<CameraFeed> feed)
    : camera_(std::move(camera)), news_(news), feed_(std::move(feed)) {}

Activity::Second ActivityReport::end_second() {
  return feed_->activity.end_second(news_.utc().now());
}

void ActivityReport::announce(const Activity::Second &second) {
  nlohmann::json boxes = nlohmann::json::array();
  for (const Rect &b : second.boxes) boxes.push_back(to_json(b));
  news_.announce(
      camera_,
      {{"kind", "sample"}, {"camera", camera_}, {"sample", to_json(second.sample)}, {"boxes", boxes}});
}

// The timer drifts: it may skip a second of the clock. What was collected belongs to the minute in which it
// was.
void ActivityReport::store() {
  constexpr double a_minute = 60;
  const double minute = std::floor(news_.utc().now() / a_minute) * a_minute;
  if (heat_minute_ != minute) {
    heat_ends();
    heat_minute_ = minute;
  }
  hand_over_motion();
}

void ActivityReport::stop() {
  heat_ends();
  hand_over_motion();
}

void ActivityReport::heat_ends() {
  if (!heat_minute_) return;
  if (auto heat = feed_->activity.take_heat(); !heat.empty())
    news_.heat(camera_, *heat_minute_, std::move(heat));
}

void ActivityReport::hand_over_motion() {
  if (const MovedSeconds moved = feed_->activity.take_moved(); !moved.empty()) news_.motion(camera_, moved);
}

} // namespace vigil::monitor
