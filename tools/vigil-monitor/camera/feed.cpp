// SPDX-License-Identifier: LGPL-2.1-or-later
#include "feed.h"

#include <algorithm>
#include <utility>

namespace vigil::monitor {

double CameraFeed::seen_until(const Utc &utc) const {
  const double now = utc.now(), newest = seen;
  return now - (newest > connected ? std::max(0.0, utc.steady(now) - newest) : 0);
}

CameraFeed::Picture CameraFeed::wait_picture(View v, double after, std::chrono::milliseconds wait) {
  std::unique_lock guard(lock_);
  Picture &p = pictures_[static_cast<std::size_t>(v)];
  new_picture_.wait_for(guard, wait, [&] { return p.jpeg && p.arrived >= after; });
  return p.jpeg && p.arrived >= after ? p : Picture{};
}

void CameraFeed::put_picture(View v, Picture p) {
  const std::lock_guard guard(lock_);
  pictures_[static_cast<std::size_t>(v)] = std::move(p);
  new_picture_.notify_all();
}

void CameraFeed::forget_pictures() {
  const std::lock_guard guard(lock_);
  pictures_ = {};
}

CameraFeed::Seen CameraFeed::take_seen() {
  const std::lock_guard guard(lock_);
  return std::exchange(seen_, {});
}

void CameraFeed::see(const std::vector<Rect> &boxes, double area) {
  const std::lock_guard guard(lock_);
  const auto size = [](const Rect &r) { return r.width * r.height; };
  for (const Rect &b : boxes)
    if (!seen_.box || size(b) > size(*seen_.box)) seen_.box = b;
  seen_.changed = std::max(seen_.changed, std::min(area, 1.0));
}

void CameraFeed::set_vector(std::vector<float> v) {
  const std::lock_guard guard(lock_);
  seen_.vector = std::move(v);
}

} // namespace vigil::monitor
