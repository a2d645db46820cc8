// SPDX-License-Identifier: LGPL-2.1-or-later
// How tracks begin, are confirmed, stand still, and end.
//
// begin    Each box without an owner begins a tentative track; one that parted from a confirmed track is
//          confirmed at once.
// confirm  A track is confirmed when it was found in at least half of the frames for `confirm_after`.
// end      A confirmed track ends `lost_after` after it was last seen, or when its centre leaves the picture
//          unseen. A stationary one, which has not moved by a quarter of its size for `stationary_after`,
//          waits for `stationary_hold` instead: light changes and slow background learning hide it.
//          A tentative one also ends when it was found in less than half of its frames. After 10 s without a
//          frame these times hold for the gap as well, before any box is assigned.
// Source: this project.
#pragma once

#include "kernels/track/track.h"

#include <cstdint>
#include <span>
#include <vector>

namespace vigil::track {

class Lifecycle {
 public:
  void begin(const Params &, const Frame &, std::vector<Track> &);
  // After the tracks were updated by their boxes.
  void age(const Params &, const Frame &, std::vector<Track> &);
  // Before boxes are assigned: after a long gap any box would be near enough to a track.
  void end_after_gap(const Params &, double gap, double seconds, std::vector<Track> &);
  void end_lost(const Params &, const Frame &, std::vector<Track> &);
  void end_all(std::vector<Track> &);
  // The tracks that ended since forget_ended().
  std::span<const Object> ended() const { return ended_; }
  void forget_ended() { ended_.clear(); }
  std::uint64_t new_id() { return next_id_++; }

 private:
  void confirm(Track &, double seconds);
  template <class Over>
  void end_those(std::vector<Track> &, Over &&);

  std::vector<Object> ended_;
  std::uint64_t next_id_ = 1;
};

} // namespace vigil::track
