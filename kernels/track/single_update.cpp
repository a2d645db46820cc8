// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/track/single_update.h"

#include <algorithm>

namespace vigil::track {
namespace {

constexpr double small = 0.5;  // of its area: a box that is smaller shows a part of a track
constexpr double within = 0.7; // of such a box by the track's, for that

} // namespace

void SingleUpdate::update(Track &t) const {
  t.sighting.partial = is_partial(t);
  if (t.sighting.partial)
    update_partial(t);
  else
    update_whole(t);
  if (t.confirmation.confirmed) t.object.state = State::tracked;
  t.object.group = 0;
}

bool SingleUpdate::is_partial(const Track &t) const {
  const Box &b = t.sighting.measured;
  const Motion &m = t.motion;
  return t.confirmation.confirmed && frame_.seconds - t.whole_at < in_seconds(params_.lost_after) &&
         b.width * b.height < small * m.width.p * m.height.p &&
         intersection(b, m.predicted()) > within * b.width * b.height;
}

void SingleUpdate::update_partial(Track &t) const {
  const Box &b = t.sighting.measured, p = t.motion.predicted();
  const double left = std::clamp(p.x, b.x + b.width - p.width, std::max(b.x, b.x + b.width - p.width));
  const double top = std::clamp(p.y, b.y + b.height - p.height, std::max(b.y, b.y + b.height - p.height));
  const double w = p.width, h = p.height;
  t.motion.x.update(left + w / 2, w * w / 16);
  t.motion.y.update(top + h / 2, h * h / 16);
}

void SingleUpdate::update_whole(Track &t) const {
  t.whole_at = frame_.seconds;
  move(t.motion, t.sighting.measured, t.object.group != 0);
  t.appearance.learn(box_of(t, frame_)->detection);
}

void SingleUpdate::move(Motion &m, const Box &b, bool from_group) const {
  const double edge = params_.jitter * m.size(), r = edge * edge;
  const double x = b.x + b.width / 2, y = b.y + b.height / 2;
  m.cut_x = frame_.cut_x(b);
  m.cut_y = frame_.cut_y(b);
  if (from_group && m.x.distance(x, r) + m.y.distance(y, r) > surprise) {
    const double speed = params_.max_speed * m.size() / 2;
    m.x = {x, 0, r, 0, speed * speed};
    m.y = {y, 0, r, 0, speed * speed};
  } else {
    if (has_free_edge(m.cut_x))
      update_by_free_edge(m.x, m.width, m.cut_x, b.x, b.x + b.width, r);
    else
      m.x.update(x, r);
    if (has_free_edge(m.cut_y))
      update_by_free_edge(m.y, m.height, m.cut_y, b.y, b.y + b.height, r);
    else
      m.y.update(y, r);
  }
  if (!has_free_edge(m.cut_x)) m.width.update(b.width, 4 * r);
  if (!has_free_edge(m.cut_y)) m.height.update(b.height, 4 * r);
}

} // namespace vigil::track
