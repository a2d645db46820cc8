// SPDX-License-Identifier: LGPL-2.1-or-later
#include "outage_log.h"

#include <algorithm>
#include <utility>

namespace vigil::monitor {

OutageLog::OutageLog(std::string camera, std::string label, CameraNews &news)
    : camera_(std::move(camera)), label_(std::move(label)), news_(news) {}

void OutageLog::away(double since) {
  if (!since_) since_ = since;
}

void OutageLog::tick(double now) {
  constexpr double shortest = 10; // seconds
  if (!since_ || event_ || now - *since_ < shortest) return;
  event_.emplace();
  event_->id = new_event_id(*since_, camera_);
  event_->camera = camera_;
  event_->label = label_;
  event_->start_time = *since_;
  news_.event("new", *event_);
}

void OutageLog::end(double time) {
  since_.reset();
  if (!event_) return;
  event_->end_time = std::max(time, event_->start_time);
  news_.event("end", *event_);
  event_.reset();
}

void OutageLog::clock_set(double now, double change) {
  const bool was_away = since_.has_value();
  end(now - change);
  if (was_away) since_ = now;
}

} // namespace vigil::monitor
