// SPDX-License-Identifier: LGPL-2.1-or-later
// Which box belongs to which track; parts.cpp has what several boxes of one track are, update.cpp what the
// tracks learn from theirs.
#include "kernels/track/track.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace vigil::track {
namespace {

constexpr double gate = 16;         // chi squared, 4 degrees of freedom: 0.3 % of the true pairs are lost
constexpr double covered = 0.5;     // of a track by a box, to be in it
constexpr double unseen_turn = 0.5; // of its size: where a member of a group may be besides its estimate
constexpr double more = 0.1;        // by which the IoU of a box with its tracks grows when one more enters it
constexpr double little = 0.25;     // of a box: whose tracks explain less holds something else
constexpr double widest = 1e6;      // px; what is larger or further away is no place in a picture

bool usable(const Box &b) {
  return std::isfinite(b.x) && std::isfinite(b.y) && b.width > 0 && b.height > 0 && b.width <= widest &&
         b.height <= widest && std::abs(b.x) <= widest && std::abs(b.y) <= widest;
}

// Most of a box lies in another one, of which all edges moved out by a way.
bool came_out(const Box &b, const Box &of, double way) {
  const Box room{of.x - way, of.y - way, of.width + 2 * way, of.height + 2 * way};
  return intersection(b, room) > covered * area(b);
}
} // namespace

double Tracker::Track::size() const {
  return std::sqrt(std::max(w.p, 1.) * std::max(h.p, 1.));
}
Box Tracker::Track::predicted() const {
  const double width = std::max(w.p, 1.), height = std::max(h.p, 1.);
  return {x.p - width / 2, y.p - height / 2, width, height};
}

void Tracker::step(std::span<const Detection> detections, double seconds, double width, double height) {
  ended_.clear();
  if (!std::isfinite(seconds)) seconds = last_;
  if (started_ && seconds < last_) reset();
  if (started_) end_after_gap(seconds);
  const double dt = started_ ? seconds - last_ : 0;
  started_ = true;
  since_ = dt;
  last_ = seconds;
  width_ = width;
  height_ = height;
  take(detections);
  predict(dt);
  assign(true);
  if (params_.groups) join_groups();
  mend_parts();
  assign(false);
  update(seconds);
  begin(seconds);
  if (params_.groups && params_.pairs) divide_pairs(dt);
  end_lost(seconds, width, height);
  if (params_.groups) trace(seconds);
  remember(seconds);
  report();
}

void Tracker::reset() {
  ended_.clear();
  for (const Track &t : tracks_)
    if (t.confirmed) ended_.push_back(t.o);
  tracks_.clear();
  objects_.clear();
  past_count_ = 0;
  started_ = false;
}

void Tracker::take(std::span<const Detection> detections) {
  boxes_.clear();
  for (std::size_t i = 0; i < detections.size(); i++)
    if (usable(detections[i].box)) boxes_.push_back({detections[i], static_cast<int>(i)});
  passed_over_ = detections.size() - std::min(boxes_.size(), most_boxes);
  if (boxes_.size() <= most_boxes) return;
  std::nth_element(boxes_.begin(), boxes_.begin() + most_boxes, boxes_.end(),
                   [](const Input &a, const Input &b) {
                     const double of_a = area(a.d.box), of_b = area(b.d.box);
                     return of_a != of_b ? of_a > of_b : a.index < b.index;
                   });
  boxes_.resize(most_boxes);
  std::sort(boxes_.begin(), boxes_.end(), [](const Input &a, const Input &b) { return a.index < b.index; });
}

double Tracker::cost(const Track &t, const Detection &d) const {
  if (t.o.label != d.label) return std::numeric_limits<double>::infinity();
  const double s = t.size(), edge = params_.jitter * s, r = edge * edge;
  const Box &b = d.box;
  // Those in a group may turn round without being seen to, so of them place tells less; but what they come
  // out of is the group's box.
  const bool turned = t.o.group != 0 && came_out(b, t.measured, params_.max_speed * s * since_);
  const double place = turned ? unseen_turn * s * unseen_turn * s : r;
  const double distance = t.x.distance(b.x + b.width / 2, place) + t.y.distance(b.y + b.height / 2, place) +
                          t.w.distance(b.width, 4 * r) + t.h.distance(b.height, 4 * r);
  if (distance > gate) return std::numeric_limits<double>::infinity();
  double colours = 0;
  if (t.has_colour && d.has_colour) {
    for (int c = 0; c < 3; c++) colours += std::abs(t.colour[std::size_t(c)] - d.colour[std::size_t(c)]);
    colours = std::min(1., colours / 192);
  }
  return (distance / gate + 1 - iou(t.predicted(), b) + colours) / 3;
}

void Tracker::assign(bool confirmed) {
  rows_.clear();
  columns_.clear();
  for (std::size_t i = 0; i < tracks_.size(); i++)
    if (tracks_[i].confirmed == confirmed) rows_.push_back(i);
  for (std::size_t j = 0; j < boxes_.size(); j++)
    if (boxes_[j].owners == 0 || (boxes_[j].more && !confirmed)) columns_.push_back(j);
  costs_.resize(rows_.size() * columns_.size());
  for (std::size_t i = 0; i < rows_.size(); i++)
    for (std::size_t j = 0; j < columns_.size(); j++)
      costs_[i * columns_.size() + j] = cost(tracks_[rows_[i]], boxes_[columns_[j]].d);
  const auto result = assignment_.solve(costs_, rows_.size(), columns_.size());
  for (std::size_t i = 0; i < rows_.size(); i++) {
    if (result[i] < 0) continue;
    Track &t = tracks_[rows_[i]];
    const std::size_t j = columns_[static_cast<std::size_t>(result[i])];
    t.box = static_cast<int>(j);
    t.measured = boxes_[j].d.box;
    if (boxes_[j].more)
      boxes_[j].rest = static_cast<int>(rows_[i]);
    else
      boxes_[j].owners = 1;
  }
}

// Step 3. A box that already has a track takes others in only when it is larger than that one by what they
// would add: a track that is hidden behind another, or lost in front of it, is not in the other's box.
void Tracker::join_groups() {
  for (std::size_t j = 0; j < boxes_.size(); j++) {
    Input &in = boxes_[j];
    const Box &b = in.d.box;
    const Track *owner = nullptr;
    for (const Track &t : tracks_)
      if (t.box == static_cast<int>(j)) owner = &t;
    int members = owner ? 1 : 0;
    Box explained = owner ? owner->predicted() : Box{};
    for (Track &t : tracks_) {
      if (t.box >= 0 || !t.confirmed || t.o.label != in.d.label) continue;
      const Box p = t.predicted();
      if (intersection(p, b) < covered * area(p)) continue;
      const Box together = members ? hull(explained, p) : p;
      // In a group with the owner it stays, but without proof it is not seen there, and in time it is lost.
      const bool stays = owner && t.o.group != 0 && t.o.group == owner->o.group;
      const bool shown = !members || iou(together, b) > iou(explained, b) + more;
      if (!shown && !stays) continue;
      t.shown = shown;
      t.box = static_cast<int>(j);
      t.measured = b;
      explained = together;
      members++;
    }
    in.owners = members;
    in.more = members > 0 && !owner && area(explained) < little * area(b);
    if (!in.more) continue;
    for (Track &t : tracks_)
      if (t.box == static_cast<int>(j)) t.shown = false;
  }
}

} // namespace vigil::track
