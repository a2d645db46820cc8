// SPDX-License-Identifier: LGPL-2.1-or-later
#include "connection.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace vigil::monitor {

Connection::Look Connection::look(bool online) {
  constexpr int most_hanging = 3;
  const double now = Utc::monotonic_seconds();
  if (!pipeline_) {
    if (*going_down_ >= most_hanging) return Look::hanging;
    return now >= retry_at_ ? Look::due : Look::waiting;
  }
  const std::uint64_t frames = pipeline_->frames_in();
  const bool came = frames != last_frames_;
  if (came) {
    // One long distance among short ones is forgotten within some seconds.
    if (last_frames_ > 0)
      distance_ = std::max((now - last_frame_) / static_cast<double>(frames - last_frames_), distance_ / 2);
    last_frame_ = now;
  }
  last_frames_ = frames;
  if (now - last_frame_ > patience()) return Look::silent;
  const bool pictures = came && pipeline_->frames_out() > 0;
  backoff_.ran(online || pictures ? now - began_ : 0);
  return pictures ? Look::pictures : Look::quiet;
}

double Connection::patience() const {
  constexpr double at_start = 15, later = 5, most = 60, pictures = 3;
  if (!pipeline_ || pipeline_->frames_in() < 2) return at_start; // how far they are apart is not known
  return std::clamp(std::ceil(pictures * distance_), later, most);
}

void Connection::begin(bool again) {
  if (again) reconnects_++;
  began_ = last_frame_ = Utc::monotonic_seconds();
  last_frames_ = 0;
  distance_ = 0;
}

double Connection::failed(bool was_online) {
  const double now = Utc::monotonic_seconds();
  backoff_.ran(was_online ? now - began_ : 0);
  const double wait = backoff_.next();
  retry_at_ = now + wait;
  return wait;
}

void Connection::ended() {
  retry_at_ = std::numeric_limits<double>::infinity();
}

void Connection::renew() {
  backoff_ = {};
  retry_at_ = 0;
}

void Connection::take_down(std::shared_ptr<const void> needed) {
  if (!pipeline_) return;
  frames_before_ += pipeline_->frames_in();
  decoded_before_ += pipeline_->decoded();
  tiles_before_ += pipeline_->tiles();
  pipeline_->mute();
  // Going down can hang in a driver or in the network: not here.
  ++*going_down_;
  services_.in_background([p = std::shared_ptr<StreamPipeline>(std::move(pipeline_)),
                           needed = std::move(needed), going_down = going_down_]() mutable {
    p.reset();
    --*going_down;
  });
}

} // namespace vigil::monitor
