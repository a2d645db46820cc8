// SPDX-License-Identifier: LGPL-2.1-or-later
// An outage is an event, too: it says in which time nobody can know what happened in front of the camera.
// A short one, as when a camera starts again, is none.
#include "camera.h"

#include <algorithm>

namespace vigil::monitor {

void Camera::outage_goes_on(double time) {
  constexpr double shortest = 10; // seconds
  if (state_ != State::offline || outage_ || time - outage_since_ < shortest) return;
  outage_.emplace();
  outage_->id = new_event_id(outage_since_, config_.name);
  outage_->camera = config_.name;
  outage_->label = "camera-offline";
  outage_->start_time = outage_since_;
  services_.event("new", *outage_);
}

void Camera::outage_ends(double time) {
  if (!outage_) return;
  outage_->end_time = std::max(time, outage_->start_time);
  services_.event("end", *outage_);
  outage_.reset();
}

} // namespace vigil::monitor
