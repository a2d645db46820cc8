// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/track/pair_splitter.h"

#include <algorithm>
#include <cstddef>

namespace vigil::track {
namespace {

constexpr double least_aspect = 0.5, most_aspect = 0.95; // width / height of a pair
constexpr double least_across = 0.06;                    // X of a pair: nearly an ellipse's
constexpr double least_height = 32;                      // px; the shape of fewer pixels is mostly chance
constexpr double certain = 0.3;                          // s for which a pair must be seen
constexpr double doubt = 0.25; // share of the time in which it is not seen that is taken off

} // namespace

bool looks_like_a_pair(const Detection &d) {
  const double w = d.box.width, h = d.box.height;
  if (h < least_height) return false;
  if (!(d.spread.xx > 0) || !(d.spread.yy > 0) || w < least_aspect * h || w > most_aspect * h) return false;
  const double across = d.spread.xx / (w * w), down = d.spread.yy / (h * h);
  return across > least_across && across > down;
}

void PairSplitter::split() {
  const std::size_t before = tracks_.size();
  for (std::size_t i = 0; i < before; i++)
    if (is_pair(tracks_[i])) tracks_.push_back(split(tracks_[i]));
}

bool PairSplitter::is_pair(Track &t) const {
  const ObservedBox *const box = box_of(t, frame_);
  if (!box) return false;
  if (box->shared() || t.sighting.in_group) {
    t.pair_for = 0; // two are known to be in it already
    return false;
  }
  // The upper or lower border may cut off the heavy middle of a shape.
  const bool pair = looks_like_a_pair(box->detection) && frame_.cut_y(box->detection.box) == Cut::none;
  t.pair_for = pair ? t.pair_for + frame_.since : std::max(0., t.pair_for - doubt * frame_.since);
  return t.pair_for >= certain;
}

Track PairSplitter::split(Track &t) const {
  const Box &b = box_of(t, frame_)->detection.box;
  Track other = t;
  for (Track *half : {&t, &other}) {
    half->pair_for = 0;
    Motion &m = half->motion;
    m.replace({half == &t ? b.x : b.x + b.width / 2, b.y, b.width / 2, b.height});
    m.x.p = b.x + b.width * (half == &t ? 0.25 : 0.75);
    m.x.pp += b.width * b.width / 16;
    half->appearance.forget();
  }
  if (!t.confirmation.confirmed) return other;
  other.object.id = lifecycle_.new_id();
  for (Track *half : {&t, &other}) {
    half->object.state = State::grouped;
    half->object.group = t.object.id;
    half->sighting.in_group = true;
  }
  return other;
}

} // namespace vigil::track
