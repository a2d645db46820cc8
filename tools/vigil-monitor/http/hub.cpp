// SPDX-License-Identifier: LGPL-2.1-or-later
#include "hub.h"

#include "http_util.h"

#include <algorithm>

namespace vigil::monitor {
namespace {

Bytes as_bytes(const nlohmann::json &j) {
  return std::make_shared<const std::string>(json_text(j));
}

bool wants(const Hub::ViewerDemand &w, const std::string &camera) {
  return w.visible.has(camera) && (w.cameras.empty() || w.cameras.count(camera));
}

// What concerns no camera may name one all the same, except the end of the stream.
bool may_hear(const Hub::ViewerDemand &w, const std::string &camera, bool end) {
  return w.visible.all() || (camera.empty() ? end : w.visible.has(camera));
}

// Whatever a viewer looks at, it knows of all cameras, from hello on: which there are, and their state.
bool for_all(const std::string &camera, const nlohmann::json &j) {
  const auto kind = j.find("kind");
  return camera.empty() || (kind != j.end() && (*kind == "camera" || *kind == "removed"));
}

} // namespace

std::unique_ptr<Hub::Viewer> Hub::join(ViewerDemand wish, const nlohmann::json &hello, double time) {
  auto viewer = std::make_unique<Viewer>(*this, std::move(wish));
  viewer->queue.text("", time, as_bytes(hello));
  bool refused = false;
  {
    const std::lock_guard guard(lock_);
    if (!closed_ && viewers_.size() < most_viewers)
      viewers_.insert(viewer.get());
    else
      refused = true;
  }
  if (refused) return nullptr; // its destructor takes the lock
  on_demand_();
  return viewer;
}

void Hub::leave(Viewer *v) {
  {
    const std::lock_guard guard(lock_);
    if (!viewers_.erase(v)) return;
    dropped_ += v->queue.dropped();
  }
  on_demand_();
}

Hub::Demand Hub::demand(const std::string &camera) const {
  const std::lock_guard guard(lock_);
  Demand d;
  for (const Viewer *v : viewers_)
    if (v->wish.pictures && wants(v->wish, camera)) {
      d.views |= 1u << static_cast<unsigned>(v->wish.view);
      d.height = std::max(d.height, v->wish.height);
    }
  return d;
}

void Hub::picture(const std::string &camera, View view, bool motion, double time, Bytes jpeg) {
  const std::lock_guard guard(lock_);
  for (Viewer *v : viewers_)
    if (v->wish.pictures && v->wish.view == view && wants(v->wish, camera))
      v->queue.picture(camera, view, motion, time, jpeg);
}

void Hub::text(const std::string &camera, double time, const nlohmann::json &j) {
  const std::lock_guard guard(lock_);
  if (viewers_.empty()) return;
  const Bytes bytes = as_bytes(j);
  const std::string kind = j.value("kind", "");
  const bool all = for_all(camera, j), state = kind == "camera", end = kind == "bye";
  for (Viewer *v : viewers_)
    if (may_hear(v->wish, camera, end) && (all || wants(v->wish, camera)))
      v->queue.text(camera, time, bytes, state);
}

void Hub::close() {
  const std::lock_guard guard(lock_);
  closed_ = true;
  for (Viewer *v : viewers_) v->queue.close();
}

std::size_t Hub::viewers() const {
  const std::lock_guard guard(lock_);
  return viewers_.size();
}

std::uint64_t Hub::dropped() const {
  const std::lock_guard guard(lock_);
  std::uint64_t sum = dropped_;
  for (const Viewer *v : viewers_) sum += v->queue.dropped();
  return sum;
}

} // namespace vigil::monitor
