// SPDX-License-Identifier: LGPL-2.1-or-later
// What tracks learn from their boxes: place, size, colour, state; how they begin and end.
#include "kernels/track/track.h"

#include <algorithm>
#include <cmath>

namespace vigil::track {
namespace {

constexpr double size_memory = 0.5;   // s; a change of size dies away with this time
constexpr double still = 0.25;        // of its size: what moves less stands
constexpr double surprise = 9;        // chi squared, 2 degrees of freedom: one of a hundred
constexpr double small = 0.5;         // of its area: a box that is smaller shows a part of a track
constexpr double within = 0.7;        // of such a box by the track's, for that
constexpr double colour_memory = 0.1; // share of a new colour
constexpr double longest_gap = 10;    // s between frames; after a longer one nobody is who was there before
                                      // unless he is still waited for

double milliseconds(int ms) {
  return ms / 1000.;
}

} // namespace

void Tracker::predict(double dt) {
  for (Track &t : tracks_) {
    t.box = -1;
    t.in_group = t.partial = t.apart = t.diagonal = false;
    t.shown = true;
    t.frames++;
    if (dt <= 0) continue;
    if (t.o.stationary && t.o.state == State::predicted) t.x.v = t.y.v = 0;
    const double s = t.size(), q = params_.agility * s * params_.agility * s;
    const double slower = std::exp(-dt / size_memory);
    t.w.v *= slower;
    t.h.v *= slower;
    t.x.predict(dt, q);
    t.y.predict(dt, q);
    t.w.predict(dt, q / 16);
    t.h.predict(dt, q / 16);
    hold_border(t.x, t.w, t.cut_x, dt);
    hold_border(t.y, t.h, t.cut_y, dt);
    t.w.p = std::max(t.w.p, 1.);
    t.h.p = std::max(t.h.p, 1.);
  }
}

void Tracker::update(double seconds) {
  for (std::size_t j = 0; j < boxes_.size(); j++)
    if (boxes_[j].owners > 1 || boxes_[j].more) update_group(j);
  for (Track &t : tracks_)
    if (t.box >= 0 && !t.in_group) update_single(t);
  for (Track &t : tracks_) {
    if (t.box >= 0) {
      t.hits++;
      if (t.shown) t.o.last_seen = seconds;
    } else {
      if (t.confirmed) t.o.state = State::predicted;
      t.o.group = 0;
      if (grows(t.x, t.cut_x)) t.cut_x = Cut::none;
      if (grows(t.y, t.cut_y)) t.cut_y = Cut::none;
    }
    const double limit = still * t.size();
    if (std::hypot(t.x.p - t.still_x, t.y.p - t.still_y) > limit) {
      t.still_x = t.x.p;
      t.still_y = t.y.p;
      t.still_since = seconds;
    }
    t.o.stationary = seconds - t.still_since >= milliseconds(params_.stationary_after);
    if (!t.confirmed && t.box >= 0 && 2 * t.hits >= t.frames &&
        seconds - t.o.first_seen >= milliseconds(params_.confirm_after)) {
      t.confirmed = true;
      t.told_since = seconds;
      t.o.id = next_id_++;
      t.o.state = State::tracked;
    }
  }
}

// Something hides all but a part of the object: it is where it was predicted, moved as little as shows the
// part, and of the size that it was. When that lasts, it is as small as it looks.
void Tracker::update_partial(Track &t) {
  const Box &b = t.measured, p = t.predicted();
  const double left = std::clamp(p.x, b.x + b.width - p.width, std::max(b.x, b.x + b.width - p.width));
  const double top = std::clamp(p.y, b.y + b.height - p.height, std::max(b.y, b.y + b.height - p.height));
  const double w = p.width, h = p.height;
  t.x.update(left + w / 2, w * w / 16);
  t.y.update(top + h / 2, h * h / 16);
  if (t.confirmed) t.o.state = State::tracked;
  t.o.group = 0;
}

void Tracker::update_single(Track &t) {
  t.partial = t.confirmed && last_ - t.whole < milliseconds(params_.lost_after) &&
              t.measured.width * t.measured.height < small * t.w.p * t.h.p &&
              intersection(t.measured, t.predicted()) > within * t.measured.width * t.measured.height;
  if (t.partial) return update_partial(t);
  t.whole = last_;
  const double edge = params_.jitter * t.size(), r = edge * edge;
  const Box &b = t.measured;
  const double x = b.x + b.width / 2, y = b.y + b.height / 2;
  t.cut_x = cut_of(b.x, b.x + b.width, width_);
  t.cut_y = cut_of(b.y, b.y + b.height, height_);
  if (t.o.group != 0 && t.x.distance(x, r) + t.y.distance(y, r) > surprise) {
    // It comes out of a group elsewhere than its motion said: it turned round, so the motion is another.
    const double speed = params_.max_speed * t.size() / 2;
    t.x = {x, 0, r, 0, speed * speed};
    t.y = {y, 0, r, 0, speed * speed};
  } else {
    if (has_free_edge(t.cut_x))
      update_by_free_edge(t.x, t.w, t.cut_x, b.x, b.x + b.width, r);
    else
      t.x.update(x, r);
    if (has_free_edge(t.cut_y))
      update_by_free_edge(t.y, t.h, t.cut_y, b.y, b.y + b.height, r);
    else
      t.y.update(y, r);
  }
  if (!has_free_edge(t.cut_x)) t.w.update(b.width, 4 * r);
  if (!has_free_edge(t.cut_y)) t.h.update(b.height, 4 * r);
  if (t.confirmed) t.o.state = State::tracked;
  t.o.group = 0;
  const Detection &d = boxes_[static_cast<std::size_t>(t.box)].d;
  if (!d.has_colour) return;
  const auto share = static_cast<float>(t.has_colour ? colour_memory : 1);
  for (std::size_t c = 0; c < 3; c++) t.colour[c] += share * (d.colour[c] - t.colour[c]);
  t.has_colour = true;
}

// An edge of the box is the edge of that member which is predicted to reach furthest, of those who can be
// there: an edge that moves like a car moves nobody who walks. Sizes are known from before.
void Tracker::update_group(std::size_t j) {
  const Box b = boxes_[j].d.box;
  const Cut across = cut_of(b.x, b.x + b.width, width_), down = cut_of(b.y, b.y + b.height, height_);
  Track *left = nullptr, *right = nullptr, *top = nullptr, *bottom = nullptr;
  std::uint64_t least = 0;
  const auto member = [&](const Track &t) {
    return t.box == static_cast<int>(j) && &t - tracks_.data() != boxes_[j].rest;
  };
  const auto noise = [&](const Track &t) {
    const double edge = 2 * params_.jitter * t.size();
    return edge * edge;
  };
  const auto can_be = [&](const Track &t, const Coordinate &c, double centre) {
    return c.distance(centre, noise(t)) <= surprise;
  };
  for (Track &t : tracks_) {
    if (!member(t) || boxes_[j].more) continue; // edges of a box that holds something else are that one's
    const double w = t.w.p / 2, h = t.h.p / 2;
    if (!at_low(across) && can_be(t, t.x, b.x + w) && (!left || t.x.p - w < left->x.p - left->w.p / 2))
      left = &t;
    if (!at_high(across) && can_be(t, t.x, b.x + b.width - w) &&
        (!right || t.x.p + w > right->x.p + right->w.p / 2))
      right = &t;
    if (!at_low(down) && can_be(t, t.y, b.y + h) && (!top || t.y.p - h < top->y.p - top->h.p / 2)) top = &t;
    if (!at_high(down) && can_be(t, t.y, b.y + b.height - h) &&
        (!bottom || t.y.p + h > bottom->y.p + bottom->h.p / 2))
      bottom = &t;
  }
  for (const Track &t : tracks_)
    if (member(t) && (!least || t.o.id < least)) least = t.o.id;
  for (Track &t : tracks_) {
    if (!member(t)) continue;
    const double r = noise(t);
    if (&t == left) t.x.update(b.x + t.w.p / 2, r);
    if (&t == right) t.x.update(b.x + b.width - t.w.p / 2, r);
    if (&t == top) t.y.update(b.y + t.h.p / 2, r);
    if (&t == bottom) t.y.update(b.y + b.height - t.h.p / 2, r);
    // Nobody is outside of the box that he is in, but beyond the border of the picture.
    const double x = inside(t.x.p, t.w.p, b.x, b.width, across),
                 y = inside(t.y.p, t.h.p, b.y, b.height, down);
    if (can_be(t, t.x, x) && can_be(t, t.y, y)) {
      t.x.p = x;
      t.y.p = y;
    } else {
      t.shown = false;
    }
    if (t.cut_x != across) t.cut_x = Cut::none; // it grows no more
    if (t.cut_y != down) t.cut_y = Cut::none;
    t.whole = last_; // its size is known from before the group, so long as that lasts
    t.o.state = State::grouped;
    t.o.group = least;
    t.in_group = true;
  }
}

void Tracker::begin(double seconds) {
  for (const Input &in : boxes_) {
    if (in.more ? in.rest >= 0 : in.owners > 0) continue;
    const Box &b = in.d.box;
    Track t;
    t.measured = b;
    t.o.label = in.d.label;
    t.x.p = b.x + b.width / 2;
    t.y.p = b.y + b.height / 2;
    t.w.p = b.width;
    t.h.p = b.height;
    const double s = t.size(), edge = params_.jitter * s, speed = params_.max_speed * s;
    t.x.pp = t.y.pp = edge * edge;
    t.w.pp = t.h.pp = 4 * edge * edge;
    t.x.vv = t.y.vv = speed * speed;
    t.w.vv = t.h.vv = s * s / 4;
    t.has_colour = in.d.has_colour;
    t.colour = in.d.colour;
    t.cut_x = cut_of(b.x, b.x + b.width, width_);
    t.cut_y = cut_of(b.y, b.y + b.height, height_);
    t.box = static_cast<int>(&in - boxes_.data());
    t.frames = t.hits = 1;
    t.still_x = t.x.p;
    t.still_y = t.y.p;
    t.whole = t.still_since = t.told_since = t.o.first_seen = t.o.last_seen = seconds;
    if (params_.confirm_after == 0 || in.object) {
      t.confirmed = true;
      t.o.id = next_id_++;
      t.o.state = State::tracked;
    }
    tracks_.push_back(t);
  }
}

template <class Over>
void Tracker::end_those(Over &&over) {
  for (const Track &t : tracks_)
    if (t.confirmed && over(t)) ended_.push_back(t.o);
  std::sort(ended_.begin(), ended_.end(), [](const Object &a, const Object &b) { return a.id < b.id; });
  std::erase_if(tracks_, over);
}

bool Tracker::overdue(const Track &t, double seconds) const {
  const bool stands = t.confirmed && t.o.stationary;
  return seconds - t.o.last_seen > milliseconds(stands ? params_.stationary_hold : params_.lost_after);
}

// Before boxes are assigned: after so long any box would be near enough to a track.
void Tracker::end_after_gap(double seconds) {
  if (seconds - last_ <= longest_gap) return;
  end_those([&](const Track &t) { return overdue(t, seconds); });
}

void Tracker::end_lost(double seconds, double width, double height) {
  end_those([&](const Track &t) {
    if (!t.confirmed) return 2 * t.hits < t.frames || overdue(t, seconds);
    const bool outside =
        width > 0 && height > 0 && t.box < 0 && (t.x.p < 0 || t.y.p < 0 || t.x.p > width || t.y.p > height);
    return outside || overdue(t, seconds);
  });
}

void Tracker::report() {
  objects_.clear();
  for (Track &t : tracks_) {
    if (!t.confirmed) continue;
    Object o = t.o;
    o.box = t.o.state == State::tracked && !t.partial ? t.measured : t.predicted();
    o.vx = t.x.v;
    o.vy = t.y.v;
    o.detection = t.box >= 0 ? boxes_[static_cast<std::size_t>(t.box)].index : -1;
    t.o = o;
    objects_.push_back(o);
  }
  std::sort(objects_.begin(), objects_.end(), [](const Object &a, const Object &b) { return a.id < b.id; });
}

} // namespace vigil::track
