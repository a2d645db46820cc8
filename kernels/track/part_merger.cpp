// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/track/part_merger.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace vigil::track {
namespace {

constexpr double part = 0.7;    // of a box by a track, to be a part of it
constexpr double much = 0.2;    // by which the IoU of a part with its track grows by one that comes out of it
constexpr double large = 0.25;  // of one part by another, to be an object of its own
constexpr double aligned = 0.5; // of the shorter side of two parts: those that lie diagonally overlap by less
constexpr double taller = 1.2;  // by this factor a part is clearly taller

// The empty space between two intervals.
double gap(double a, double a_length, double b, double b_length) {
  return std::max(0., std::max(a, b) - std::min(a + a_length, b + b_length));
}

// Overlap of two intervals as a share of the shorter one.
double overlap(double a, double a_length, double b, double b_length) {
  const double both = std::min(a + a_length, b + b_length) - std::max(a, b);
  return both / std::min(a_length, b_length);
}

// An upright or a lying object whose middle is hidden leaves two parts, one above the other or side by side.
// Parts that lie diagonally, with an empty corner on each side, are two objects.
bool diagonal(const Box &a, const Box &b) {
  return overlap(a.x, a.width, b.x, b.width) < aligned && overlap(a.y, a.height, b.y, b.height) < aligned;
}

// A person who puts something down is taller than it, and of two objects the nearer one looks taller.
bool goes_on_as(const Box &other, const Box &than) {
  if (other.height > taller * than.height) return true;
  return taller * other.height > than.height && area(other) > area(than);
}

} // namespace

void PartMerger::merge() {
  for (const bool coming_out : {false, true})
    for (ObservedBox &box : frame_.boxes)
      if (box.owners == 0) merge(box, coming_out);
  for (Track &t : tracks_) {
    const Sighting &s = t.sighting;
    if (t.parting.update(s.parts, t.motion, s.measured, s.box >= 0, frame_.since)) divide(t);
  }
}

// The track whose box becomes most like its prediction with this part; null: none does.
Track *PartMerger::whole_of(const ObservedBox &box, bool coming_out) const {
  Track *best = nullptr;
  double gain = coming_out ? much : 0;
  const Box &b = box.detection.box;
  for (Track &t : tracks_) {
    if (!t.confirmation.confirmed || t.object.label != box.detection.label) continue;
    const ObservedBox *const its = box_of(t, frame_);
    if (its && its->shared()) continue;
    const Box p = t.motion.predicted();
    if (coming_out ? !its : intersection(p, b) < part * area(b)) continue;
    const double before = its ? iou(p, t.sighting.measured) : 0;
    const double after = iou(p, its ? hull(t.sighting.measured, b) : b);
    if (after - before <= gain) continue;
    gain = after - before;
    best = &t;
  }
  return best;
}

void PartMerger::merge(ObservedBox &box, bool coming_out) {
  Track *const whole = whole_of(box, coming_out);
  if (!whole) return;
  box.owners = 1;
  Sighting &s = whole->sighting;
  if (s.box < 0) {
    s.measured = box.detection.box;
    s.box = static_cast<int>(&box - frame_.boxes.data());
    return;
  }
  s.measured = hull(s.measured, box.detection.box);
  box.part_of = static_cast<int>(whole - tracks_.data());
  note_two_parts(*whole, box.detection.box);
}

void PartMerger::note_two_parts(Track &t, const Box &second) const {
  const Box &first = box_of(t, frame_)->detection.box;
  const double one = area(first), other = area(second);
  // The size of an object that the picture's border cuts off is not known from its part.
  if (std::min(one, other) <= large * std::max(one, other) && !frame_.cut_off(one < other ? first : second))
    return;
  PartPair &parts = t.sighting.parts;
  parts.found = true;
  parts.size = std::sqrt(std::max(one, other));
  parts.gap_x = gap(first.x, first.width, second.x, second.width);
  parts.gap_y = gap(first.y, first.height, second.y, second.height);
  parts.diagonal |= params_.groups && diagonal(first, second);
}

void PartMerger::divide(Track &t) {
  t.parting.reset();
  const auto track = static_cast<int>(&t - tracks_.data());
  for (std::size_t j = 0; j < frame_.boxes.size(); j++) {
    ObservedBox &box = frame_.boxes[j];
    if (box.part_of != track) continue;
    ObservedBox &kept = frame_.boxes[static_cast<std::size_t>(t.sighting.box)];
    const bool other = goes_on_as(box.detection.box, kept.detection.box);
    ObservedBox &left = other ? kept : box;
    left.owners = 0;
    left.object = t.confirmation.confirmed && !frame_.cut_off(left.detection.box);
    if (other) t.sighting.box = static_cast<int>(j);
  }
  t.sighting.measured = box_of(t, frame_)->detection.box;
  t.motion.replace(t.sighting.measured);
  t.appearance.forget();
}

} // namespace vigil::track
