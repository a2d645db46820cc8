// SPDX-License-Identifier: LGPL-2.1-or-later
// Tracks whose blob turns out to hold two people who walk side by side.
//
// With the spread measured in units of the box, X = xx / width^2 and Y = yy / height^2, a shape that has an
// axis of symmetry in both directions, as a rectangle (1/12, 1/12) or an ellipse (1/16, 1/16), has X = Y. One
// upright person is heavy in the middle (X about 0.047, Y about 0.060); two of them side by side are light
// there, X > Y.
#include "kernels/track/track.h"

#include <algorithm>

namespace vigil::track {
namespace {

constexpr double least_aspect = 0.5, most_aspect = 0.95; // width / height of a pair
constexpr double least_across = 0.06;                    // X of a pair: nearly an ellipse's
constexpr double least_height = 32;                      // px; the shape of fewer pixels is mostly chance
constexpr double certain = 0.3;                          // s for which a pair must be seen
constexpr double doubt = 0.25; // share of the time in which it is not seen that is taken off

bool looks_like_a_pair(const Detection &d) {
  const double w = d.box.width, h = d.box.height;
  if (h < least_height) return false;
  if (!(d.spread.xx > 0) || !(d.spread.yy > 0) || w < least_aspect * h || w > most_aspect * h) return false;
  const double across = d.spread.xx / (w * w), down = d.spread.yy / (h * h);
  return across > least_across && across > down;
}

} // namespace

// Step 7.
void Tracker::divide_pairs(double dt) {
  const std::size_t before = tracks_.size();
  for (std::size_t i = 0; i < before; i++) {
    Track &t = tracks_[i];
    if (t.box < 0) continue;
    const Input &in = boxes_[static_cast<std::size_t>(t.box)];
    if (in.owners > 1 || in.more || t.in_group) {
      t.pair = 0; // two are known to be in it already
      continue;
    }
    // What the upper or lower border leaves of a shape says nothing of the heavy middle.
    const bool pair =
        looks_like_a_pair(in.d) && cut_of(in.d.box.y, in.d.box.y + in.d.box.height, height_) == Cut::none;
    t.pair = pair ? t.pair + dt : std::max(0., t.pair - doubt * dt);
    if (t.pair < certain) continue;
    Track other = t;
    const Box &b = in.d.box;
    for (Track *half : {&t, &other}) {
      half->pair = 0;
      half->w.p = b.width / 2;
      half->h.p = b.height;
      half->w.v = half->h.v = 0;
      half->y.p = b.y + b.height / 2;
      half->x.p = b.x + b.width * (half == &t ? 0.25 : 0.75);
      half->x.pp += b.width * b.width / 16;
      half->has_colour = false; // what was learnt is the mean of both
    }
    if (t.confirmed) {
      other.o.id = next_id_++;
      for (Track *half : {&t, &other}) {
        half->o.state = State::grouped;
        half->o.group = t.o.id;
        half->in_group = true;
      }
    }
    tracks_.push_back(other);
  }
}

} // namespace vigil::track
