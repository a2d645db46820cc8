// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/track/groups.h"

#include <cstdint>

namespace vigil::track {
namespace {

constexpr double covered = 0.5; // of a track by a box, to be in it
constexpr double more = 0.1;    // by which the IoU of a box with its tracks grows when one more enters it
constexpr double little = 0.25; // of a box: if its tracks explain less, it holds something else

} // namespace

void Groups::join() {
  for (std::size_t j = 0; j < frame_.boxes.size(); j++) join(j);
}

void Groups::join(std::size_t j) {
  ObservedBox &box = frame_.boxes[j];
  const Box &b = box.detection.box;
  const Track *owner = nullptr;
  for (const Track &t : tracks_)
    if (t.sighting.box == static_cast<int>(j)) owner = &t;
  int members = owner ? 1 : 0;
  Box explained = owner ? owner->motion.predicted() : Box{};
  for (Track &t : tracks_) {
    if (t.sighting.box >= 0 || !t.confirmation.confirmed || t.object.label != box.detection.label) continue;
    const Box p = t.motion.predicted();
    if (intersection(p, b) < covered * area(p)) continue;
    const Box together = members ? hull(explained, p) : p;
    // In a group with the owner it stays, but without proof it is not seen there, and in time it is lost.
    const bool stays = owner && t.object.group != 0 && t.object.group == owner->object.group;
    const bool shown = !members || iou(together, b) > iou(explained, b) + more;
    if (!shown && !stays) continue;
    t.sighting.shown = shown;
    t.sighting.box = static_cast<int>(j);
    t.sighting.measured = b;
    explained = together;
    members++;
  }
  box.owners = members;
  box.more = members > 0 && !owner && area(explained) < little * area(b);
  if (!box.more) return;
  for (Track &t : tracks_)
    if (t.sighting.box == static_cast<int>(j)) t.sighting.shown = false;
}

bool Groups::is_member(const Track &t, std::size_t j) const {
  return t.sighting.box == static_cast<int>(j) && &t - tracks_.data() != frame_.boxes[j].rest;
}

double Groups::noise(const Track &t) const {
  const double edge = 2 * params_.jitter * t.motion.size();
  return edge * edge;
}

bool Groups::can_be(const Track &t, const Coordinate &c, double centre) const {
  return c.distance(centre, noise(t)) <= surprise;
}

Groups::Edges Groups::edges_of(std::size_t j) const {
  Edges e;
  if (frame_.boxes[j].more) return e; // its edges are those of what else is in it
  const Box &b = frame_.boxes[j].detection.box;
  const Cut across = frame_.cut_x(b), down = frame_.cut_y(b);
  const auto low = [](const Coordinate &centre, const Coordinate &extent) { return centre.p - extent.p / 2; };
  const auto high = [](const Coordinate &centre, const Coordinate &extent) {
    return centre.p + extent.p / 2;
  };
  for (Track &t : tracks_) {
    if (!is_member(t, j)) continue;
    const Motion &m = t.motion;
    const double w = m.width.p / 2, h = m.height.p / 2;
    if (!at_low(across) && can_be(t, m.x, b.x + w) &&
        (!e.left || low(m.x, m.width) < low(e.left->motion.x, e.left->motion.width)))
      e.left = &t;
    if (!at_high(across) && can_be(t, m.x, b.x + b.width - w) &&
        (!e.right || high(m.x, m.width) > high(e.right->motion.x, e.right->motion.width)))
      e.right = &t;
    if (!at_low(down) && can_be(t, m.y, b.y + h) &&
        (!e.top || low(m.y, m.height) < low(e.top->motion.y, e.top->motion.height)))
      e.top = &t;
    if (!at_high(down) && can_be(t, m.y, b.y + b.height - h) &&
        (!e.bottom || high(m.y, m.height) > high(e.bottom->motion.y, e.bottom->motion.height)))
      e.bottom = &t;
  }
  return e;
}

void Groups::update(std::size_t j) {
  const Box &b = frame_.boxes[j].detection.box;
  const Cut across = frame_.cut_x(b), down = frame_.cut_y(b);
  const Edges edges = edges_of(j);
  std::uint64_t least = 0;
  for (const Track &t : tracks_)
    if (is_member(t, j) && (!least || t.object.id < least)) least = t.object.id;
  for (Track &t : tracks_) {
    if (!is_member(t, j)) continue;
    Motion &m = t.motion;
    const double r = noise(t);
    if (&t == edges.left) m.x.update(b.x + m.width.p / 2, r);
    if (&t == edges.right) m.x.update(b.x + b.width - m.width.p / 2, r);
    if (&t == edges.top) m.y.update(b.y + m.height.p / 2, r);
    if (&t == edges.bottom) m.y.update(b.y + b.height - m.height.p / 2, r);
    // A member lies in the group's box, or beyond the border of the picture.
    const double x = inside(m.x.p, m.width.p, b.x, b.width, across),
                 y = inside(m.y.p, m.height.p, b.y, b.height, down);
    if (can_be(t, m.x, x) && can_be(t, m.y, y)) {
      m.x.p = x;
      m.y.p = y;
    } else {
      t.sighting.shown = false;
    }
    if (m.cut_x != across) m.cut_x = Cut::none; // it grows no more
    if (m.cut_y != down) m.cut_y = Cut::none;
    t.whole_at = frame_.seconds; // as long as the group lasts its size is known from before
    t.object.state = State::grouped;
    t.object.group = least;
    t.sighting.in_group = true;
  }
}

void Groups::update() {
  for (std::size_t j = 0; j < frame_.boxes.size(); j++)
    if (frame_.boxes[j].shared()) update(j);
}

} // namespace vigil::track
