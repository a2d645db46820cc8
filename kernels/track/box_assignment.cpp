// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/track/box_assignment.h"

#include <limits>

namespace vigil::track {
namespace {

constexpr double gate = 16;         // chi squared, 4 degrees of freedom
constexpr double most = 0.5;        // of a box, to have come out of another one
constexpr double unseen_turn = 0.5; // of its size: so far from its estimate a member of a group may be

// Most of a box lies in another one, of which all edges moved out by a way.
bool came_out(const Box &b, const Box &of, double way) {
  const Box room{of.x - way, of.y - way, of.width + 2 * way, of.height + 2 * way};
  return intersection(b, room) > most * area(b);
}

} // namespace

double cost_of(const Track &t, const Detection &d, const Params &params, double since) {
  constexpr double forbidden = std::numeric_limits<double>::infinity();
  if (t.object.label != d.label) return forbidden;
  const Motion &m = t.motion;
  const double s = m.size(), edge = params.jitter * s, r = edge * edge;
  const Box &b = d.box;
  const bool turned = t.object.group != 0 && came_out(b, t.sighting.measured, params.max_speed * s * since);
  const double place = turned ? unseen_turn * s * unseen_turn * s : r;
  const double distance = m.x.distance(b.x + b.width / 2, place) + m.y.distance(b.y + b.height / 2, place) +
                          m.width.distance(b.width, 4 * r) + m.height.distance(b.height, 4 * r);
  if (distance > gate) return forbidden;
  return (distance / gate + 1 - iou(m.predicted(), b) + t.appearance.difference(d)) / 3;
}

void BoxAssignment::assign(const Params &params, Frame &frame, std::vector<Track> &tracks, bool confirmed) {
  rows_.clear();
  columns_.clear();
  for (std::size_t i = 0; i < tracks.size(); i++)
    if (tracks[i].confirmation.confirmed == confirmed) rows_.push_back(i);
  for (std::size_t j = 0; j < frame.boxes.size(); j++)
    if (frame.boxes[j].owners == 0 || (frame.boxes[j].more && !confirmed)) columns_.push_back(j);
  costs_.resize(rows_.size() * columns_.size());
  for (std::size_t i = 0; i < rows_.size(); i++)
    for (std::size_t j = 0; j < columns_.size(); j++)
      costs_[i * columns_.size() + j] =
          cost_of(tracks[rows_[i]], frame.boxes[columns_[j]].detection, params, frame.since);
  const auto result = assignment_.solve(costs_, rows_.size(), columns_.size());
  for (std::size_t i = 0; i < rows_.size(); i++) {
    if (result[i] < 0) continue;
    Track &t = tracks[rows_[i]];
    const std::size_t j = columns_[static_cast<std::size_t>(result[i])];
    ObservedBox &box = frame.boxes[j];
    t.sighting.box = static_cast<int>(j);
    t.sighting.measured = box.detection.box;
    if (box.more)
      box.rest = static_cast<int>(rows_[i]);
    else
      box.owners = 1;
  }
}

} // namespace vigil::track
