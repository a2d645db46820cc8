// SPDX-License-Identifier: LGPL-2.1-or-later
#include "connection.h"

#include <limits>
#include <utility>

namespace vigil::monitor {

CameraConnection::Look CameraConnection::look(bool online) {
  constexpr int most_hanging = 3;
  const double now = Utc::monotonic_seconds();
  if (!pipeline_) {
    if (*going_down_ >= most_hanging) return Look::hanging;
    return now >= retry_at_ ? Look::due : Look::waiting;
  }
  const std::uint64_t frames = pipeline_->frames_in();
  const bool came = frames != last_frames_;
  if (came) last_frame_ = now;
  last_frames_ = frames;
  if (now - last_frame_ > patience()) return Look::silent;
  const bool pictures = came && pipeline_->frames_out() > 0;
  backoff_.ran(online || pictures ? now - began_ : 0);
  return pictures ? Look::pictures : Look::quiet;
}

double CameraConnection::patience() const {
  constexpr double at_start = 15, later = 5;
  return pipeline_ && pipeline_->frames_in() ? later : at_start;
}

void CameraConnection::begin(bool again) {
  if (again) reconnects_++;
  began_ = last_frame_ = Utc::monotonic_seconds();
  last_frames_ = 0;
}

double CameraConnection::failed(bool was_online) {
  const double now = Utc::monotonic_seconds();
  backoff_.ran(was_online ? now - began_ : 0);
  const double wait = backoff_.next();
  retry_at_ = now + wait;
  return wait;
}

void CameraConnection::ended() {
  retry_at_ = std::numeric_limits<double>::infinity();
}

void CameraConnection::renew() {
  backoff_ = {};
  retry_at_ = 0;
}

void CameraConnection::take_down(std::shared_ptr<const void> needed) {
  if (!pipeline_) return;
  frames_before_ += pipeline_->frames_in();
  tiles_before_ += pipeline_->tiles();
  pipeline_->mute();
  // Going down can hang in a driver or in the network: not here.
  ++*going_down_;
  services_.in_background([p = std::shared_ptr<CameraPipeline>(std::move(pipeline_)),
                           needed = std::move(needed), going_down = going_down_]() mutable {
    p.reset();
    --*going_down;
  });
}

} // namespace vigil::monitor
