// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/rules/owner_search.h"

#include <algorithm>

namespace vigil::rules {
namespace {

constexpr double known_before = 0.5; // s
constexpr double taller = 1.3;       // times as tall as the object that it puts down

} // namespace

void OwnerSearch::prepare(const std::vector<TrackedObject> &objects, double seconds) {
  reaches_.clear();
  widest_ = 0;
  for (std::size_t i = 0; i < objects.size(); i++) {
    const TrackedObject &o = objects[i];
    if (!o.now.here || seconds - o.times.first < known_before) continue;
    reaches_.push_back({o.box.x - o.box.height / 2, i});
    widest_ = std::max(widest_, o.box.width + o.box.height);
  }
  std::sort(reaches_.begin(), reaches_.end(), [](const Reach &a, const Reach &b) {
    return a.left != b.left ? a.left < b.left : a.index < b.index;
  });
}

std::uint64_t OwnerSearch::owner_of(const track::Box &box, const std::vector<TrackedObject> &objects) const {
  std::uint64_t owner = 0;
  const double right = box.x + box.width;
  const auto from = std::partition_point(reaches_.begin(), reaches_.end(),
                                         [&](const Reach &r) { return r.left <= box.x - widest_; });
  for (auto r = from; r != reaches_.end() && r->left < right; r++) {
    const TrackedObject &o = objects[r->index];
    if (o.box.height < taller * box.height || o.id < owner) continue;
    const double reach = o.box.height / 2;
    const track::Box around{o.box.x - reach, o.box.y - reach, o.box.width + 2 * reach,
                            o.box.height + 2 * reach};
    if (track::intersection(around, box) > 0) owner = o.id;
  }
  return owner;
}

} // namespace vigil::rules
