// SPDX-License-Identifier: LGPL-2.1-or-later
#include "camera_state.h"

#include <utility>

namespace vigil::monitor {

CameraState::CameraState(std::string camera, CameraNews &news)
    : camera_(camera), news_(news), outage_(std::move(camera), "camera-offline", news) {}

void CameraState::go(Kind kind, std::optional<std::string> why) {
  if (kind == kind_ && why == reason_ && since_ > 0) return;
  // Tries that fail as the one before do not begin a new outage.
  const bool same_outage = since_ > 0 && kind_ == Kind::offline && kind == Kind::offline;
  if (!same_outage) since_ = news_.utc().now();
  kind_ = kind;
  reason_ = std::move(why);
  if (kind_ == Kind::offline)
    outage_.away(since_);
  else
    outage_.end(since_);
  news_.changed(camera_);
}

void CameraState::forget() {
  kind_ = Kind::starting;
  since_ = 0;
}

void CameraState::clock_set(double change) {
  since_ += change;
  outage_.clock_set(news_.utc().now(), change);
}

const char *CameraState::name() const {
  constexpr const char *names[] = {"starting", "online", "offline", "disabled", "ended"};
  return names[static_cast<int>(kind_)];
}

} // namespace vigil::monitor
