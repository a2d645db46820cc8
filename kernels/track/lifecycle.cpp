// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/track/lifecycle.h"

#include <algorithm>

namespace vigil::track {
namespace {

constexpr double longest_gap = 10; // s between frames

bool overdue(const Track &t, const Params &params, double seconds) {
  const bool stands = t.confirmation.confirmed && t.object.stationary;
  return seconds - t.object.last_seen > in_seconds(stands ? params.stationary_hold : params.lost_after);
}

bool found_often(const Confirmation &c) {
  return 2 * c.hits >= c.frames;
}

} // namespace

void Lifecycle::begin(const Params &params, const Frame &frame, std::vector<Track> &tracks) {
  for (const ObservedBox &box : frame.boxes) {
    if (box.more ? box.rest >= 0 : box.owners > 0) continue;
    const Box &b = box.detection.box;
    Track t;
    t.object.label = box.detection.label;
    t.object.first_seen = t.object.last_seen = t.whole_at = frame.seconds;
    t.motion = Motion::of_new(b, params);
    t.motion.cut_x = frame.cut_x(b);
    t.motion.cut_y = frame.cut_y(b);
    t.appearance = Appearance(box.detection);
    t.standstill = {t.motion, frame.seconds};
    t.sighting.box = static_cast<int>(&box - frame.boxes.data());
    t.sighting.measured = b;
    t.confirmation.frames = t.confirmation.hits = 1;
    if (params.confirm_after == 0 || box.object) confirm(t, frame.seconds);
    tracks.push_back(t);
  }
}

void Lifecycle::confirm(Track &t, double seconds) {
  t.confirmation.confirmed = true;
  t.confirmation.since = seconds;
  t.object.id = new_id();
  t.object.state = State::tracked;
}

void Lifecycle::age(const Params &params, const Frame &frame, std::vector<Track> &tracks) {
  for (Track &t : tracks) {
    const bool found = t.sighting.box >= 0;
    if (found) {
      t.confirmation.hits++;
      if (t.sighting.shown) t.object.last_seen = frame.seconds;
    } else {
      if (t.confirmation.confirmed) t.object.state = State::predicted;
      t.object.group = 0;
      Motion &m = t.motion; // what is not found does not grow
      if (grows(m.x, m.cut_x)) m.cut_x = Cut::none;
      if (grows(m.y, m.cut_y)) m.cut_y = Cut::none;
    }
    t.standstill.update(t.motion, frame.seconds);
    t.object.stationary = frame.seconds - t.standstill.since() >= in_seconds(params.stationary_after);
    if (!t.confirmation.confirmed && found && found_often(t.confirmation) &&
        frame.seconds - t.object.first_seen >= in_seconds(params.confirm_after))
      confirm(t, frame.seconds);
  }
}

template <class Over>
void Lifecycle::end_those(std::vector<Track> &tracks, Over &&over) {
  for (const Track &t : tracks)
    if (t.confirmation.confirmed && over(t)) ended_.push_back(t.object);
  std::sort(ended_.begin(), ended_.end(), [](const Object &a, const Object &b) { return a.id < b.id; });
  std::erase_if(tracks, over);
}

void Lifecycle::end_after_gap(const Params &params, double gap, double seconds, std::vector<Track> &tracks) {
  if (gap <= longest_gap) return;
  end_those(tracks, [&](const Track &t) { return overdue(t, params, seconds); });
}

void Lifecycle::end_lost(const Params &params, const Frame &frame, std::vector<Track> &tracks) {
  end_those(tracks, [&](const Track &t) {
    if (!t.confirmation.confirmed && !found_often(t.confirmation)) return true;
    const Motion &m = t.motion;
    const bool outside = t.confirmation.confirmed && frame.width > 0 && frame.height > 0 &&
                         t.sighting.box < 0 &&
                         (m.x.p < 0 || m.y.p < 0 || m.x.p > frame.width || m.y.p > frame.height);
    return outside || overdue(t, params, frame.seconds);
  });
}

void Lifecycle::end_all(std::vector<Track> &tracks) {
  for (const Track &t : tracks)
    if (t.confirmation.confirmed) ended_.push_back(t.object);
  tracks.clear();
}

} // namespace vigil::track
