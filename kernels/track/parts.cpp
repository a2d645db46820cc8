// SPDX-License-Identifier: LGPL-2.1-or-later
// Several boxes that belong to one track: parts of an object that something hides in the middle, or objects
// that came as one box and have parted.
#include "kernels/track/track.h"

#include <algorithm>
#include <cmath>

namespace vigil::track {
namespace {

constexpr double part = 0.7;    // of a box by a track, to be a part of it
constexpr double much = 0.2;    // by which the IoU of a part with its track grows by one that comes out of it
constexpr double large = 0.25;  // of one part by another, to be an object of its own
constexpr double grown = 1.5;   // of an object's area: two parts that span more are two objects
constexpr double beside = 0.5;  // of the shorter side of two parts: who lie diagonally overlap by less
constexpr double whole = 0.75;  // of a predicted box by the one found, to show all of an object
constexpr double certain = 0.3; // s for which parts must lie diagonally
constexpr double doubt = 0.25;  // share of the time in which they do not that is taken off
constexpr double taller = 1.2;  // by this factor a part is clearly taller

constexpr double away = 0.25; // of the larger part's size: by so much two objects move away from each other

// The empty space between two intervals.
double gap(double a, double a_length, double b, double b_length) {
  return std::max(0., std::max(a, b) - std::min(a + a_length, b + b_length));
}

// Overlap of two intervals as a share of the shorter one.
double overlap(double a, double a_length, double b, double b_length) {
  const double both = std::min(a + a_length, b + b_length) - std::max(a, b);
  return both / std::min(a_length, b_length);
}

// What hides the middle of an upright or a lying object leaves two parts above or beside each other. Parts
// that lie diagonally, with an empty corner on each side, are two objects.
bool diagonal(const Box &a, const Box &b) {
  return overlap(a.x, a.width, b.x, b.width) < beside && overlap(a.y, a.height, b.y, b.height) < beside;
}

// A track goes on as the part that is clearly the taller one, since who puts something down is taller than
// that, and what is nearer looks taller; of two about as tall ones as the larger.
bool goes_on_as(const Box &other, const Box &than) {
  if (other.height > taller * than.height) return true;
  return taller * other.height > than.height && area(other) > area(than);
}

} // namespace

// Step 5. Boxes that nobody has are parts of a track when they make its box more like the prediction: those
// that lie in the predicted box, then those that come out of it while another part stays in it.
void Tracker::mend_parts() {
  for (const bool coming_out : {false, true})
    for (Input &in : boxes_)
      if (in.owners == 0) mend(in, coming_out);
  divide_parts();
}

void Tracker::mend(Input &in, bool coming_out) {
  Track *best = nullptr;
  double gain = coming_out ? much : 0;
  for (Track &t : tracks_) {
    if (!t.confirmed || t.o.label != in.d.label) continue;
    if (t.box >= 0) {
      const Input &its = boxes_[static_cast<std::size_t>(t.box)];
      if (its.owners > 1 || its.more) continue;
    }
    const Box p = t.predicted();
    if (coming_out ? t.box < 0 : intersection(p, in.d.box) < part * area(in.d.box)) continue;
    const double before = t.box >= 0 ? iou(p, t.measured) : 0;
    const double after = iou(p, t.box >= 0 ? hull(t.measured, in.d.box) : in.d.box);
    if (after - before <= gain) continue;
    gain = after - before;
    best = &t;
  }
  if (!best) return;
  in.owners = 1;
  if (best->box < 0) {
    best->measured = in.d.box;
    best->box = static_cast<int>(&in - boxes_.data());
    return;
  }
  best->measured = hull(best->measured, in.d.box);
  in.part_of = static_cast<int>(best - tracks_.data());
  const Box &first = boxes_[static_cast<std::size_t>(best->box)].d.box;
  const double one = area(first), other = area(in.d.box);
  // Of what the picture's border cuts off its part does not tell how large it is.
  if (std::min(one, other) <= large * std::max(one, other) && !cut_off(one < other ? first : in.d.box))
    return;
  best->apart = true;
  best->part_size = std::sqrt(std::max(one, other));
  best->gap_x = gap(first.x, first.width, in.d.box.x, in.d.box.width);
  best->gap_y = gap(first.y, first.height, in.d.box.y, in.d.box.height);
  best->diagonal |= params_.groups && diagonal(first, in.d.box);
}

void Tracker::divide_parts() {
  for (std::size_t i = 0; i < tracks_.size(); i++) {
    Track &t = tracks_[i];
    if (t.apart && !t.parting) {
      t.parting_x = t.x.p;
      t.parting_y = t.y.p;
      t.parting_area = area(t.predicted());
      t.parting_gap_x = t.gap_x;
      t.parting_gap_y = t.gap_y;
      t.parting_width = t.measured.width;
      t.parting_height = t.measured.height;
    }
    if (t.apart)
      t.parting = true;
    else if (t.box >= 0 && area(t.measured) > whole * area(t.predicted()))
      t.parting = false;
    if (t.diagonal)
      t.diagonal_for += since_;
    else if (t.box >= 0)
      t.diagonal_for = std::max(0., t.diagonal_for - doubt * since_);
    const bool moved = std::hypot(t.x.p - t.parting_x, t.y.p - t.parting_y) > t.part_size;
    // Where the middle of one object fades, the space between its parts grows, but not what they span; where
    // it comes nearer, they span more, but the space stays.
    const double far = away * t.part_size;
    const bool leave = (t.gap_x - t.parting_gap_x > far && t.measured.width - t.parting_width > far) ||
                       (t.gap_y - t.parting_gap_y > far && t.measured.height - t.parting_height > far);
    if (t.apart && (moved || leave || t.diagonal_for >= certain || area(t.measured) > grown * t.parting_area))
      divide(static_cast<int>(i));
  }
}

bool Tracker::cut_off(const Box &b) const {
  return cut_of(b.x, b.x + b.width, width_) != Cut::none || cut_of(b.y, b.y + b.height, height_) != Cut::none;
}

// The track goes on as one part. The others become tracks of their own: at once, but for slivers at the
// picture's border, which come and go.
void Tracker::divide(int track) {
  Track &t = tracks_[static_cast<std::size_t>(track)];
  t.parting = false;
  t.diagonal_for = 0;
  for (std::size_t j = 0; j < boxes_.size(); j++) {
    Input &in = boxes_[j];
    if (in.part_of != track) continue;
    Input &kept = boxes_[static_cast<std::size_t>(t.box)];
    const bool other = goes_on_as(in.d.box, kept.d.box);
    Input &left = other ? kept : in;
    left.owners = 0;
    left.object = t.confirmed && !cut_off(left.d.box);
    if (other) t.box = static_cast<int>(j);
  }
  const Box &b = t.measured = boxes_[static_cast<std::size_t>(t.box)].d.box;
  t.x.p = b.x + b.width / 2;
  t.y.p = b.y + b.height / 2;
  t.w.p = b.width;
  t.h.p = b.height;
  t.w.v = t.h.v = 0;
  t.has_colour = false; // what was learnt is of both
}

} // namespace vigil::track
