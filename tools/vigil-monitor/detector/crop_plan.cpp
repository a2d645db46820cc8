// SPDX-License-Identifier: LGPL-2.1-or-later
#include "crop_plan.h"

#include <cmath>

namespace vigil::monitor {
namespace {

double area_of(const Rect &r) {
  return r.width * r.height;
}

} // namespace

void CropPlan::see(const std::vector<Track> &tracks, double time) {
  const std::lock_guard guard(lock_);
  if (time < seen_) tracks_.clear(); // the stream began again
  for (const Track &t : tracks) {
    Known &known = tracks_[t.id];
    known.track = t;
    known.seen = time;
  }
  constexpr double remembered = 60; // seconds for which a hidden track may come back
  std::erase_if(tracks_, [&](const auto &k) { return time - k.second.seen > remembered; });
  seen_ = time;
}

bool CropPlan::due(const Known &k, double time) const {
  if (k.seen < seen_ || k.looks >= most_looks) return false;
  if (k.looks == 0) return true;
  constexpr double much = 1.5, soon = 1; // of the area; seconds
  const double ago = time - k.looked;
  return ago >= soon * std::ldexp(1., 2 * k.looks) || (ago >= soon && area_of(k.track.box) >= much * k.area);
}

std::optional<CropPlan::Track> CropPlan::next(double time) {
  const std::lock_guard guard(lock_);
  constexpr double longest = 1;              // seconds from the frame of the tracks to this picture
  if (last_ && time < *last_) last_.reset(); // the stream began again
  if ((last_ && time - *last_ < interval_) || std::abs(time - seen_) > longest) return std::nullopt;
  Known *best = nullptr;
  for (auto &[id, known] : tracks_) {
    if (!due(known, time)) continue;
    // Of those never looked at the newest, which comes last; of the others the one looked at longest ago.
    const bool better = !best || (known.looks == 0) > (best->looks == 0) ||
                        (known.looks == 0 && best->looks == 0) ||
                        (known.looks > 0 && best->looks > 0 && known.looked < best->looked);
    if (better) best = &known;
  }
  if (!best) return std::nullopt;
  best->looks++;
  best->looked = time;
  best->area = area_of(best->track.box);
  last_ = time;
  Track out = best->track;
  const double later = time - seen_;
  out.box.x += out.vx * later;
  out.box.y += out.vy * later;
  return out;
}

} // namespace vigil::monitor
