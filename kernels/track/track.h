// SPDX-License-Identifier: LGPL-2.1-or-later
// One track inside the tracker, divided by subject. The tracker reports the `object` in it.
#pragma once

#include "kernels/track/appearance.h"
#include "kernels/track/frame.h"
#include "kernels/track/motion.h"
#include "kernels/track/object.h"
#include "kernels/track/parting.h"

#include <cmath>

namespace vigil::track {

// Since when an object has not moved by a quarter of its size.
class Standstill {
 public:
  Standstill() = default;
  Standstill(const Motion &m, double seconds) : x_(m.x.p), y_(m.y.p), since_(seconds) {}
  void update(const Motion &m, double seconds) {
    constexpr double still = 0.25; // of its size
    if (std::hypot(m.x.p - x_, m.y.p - y_) > still * m.size()) *this = {m, seconds};
  }
  double since() const { return since_; } // seconds

 private:
  double x_ = 0, y_ = 0, since_ = 0;
};

// How often a track was found, and whether that is enough.
struct Confirmation {
  bool confirmed = false;
  double since = 0;         // seconds: when it was confirmed
  int frames = 0, hits = 0; // frames since its first one; those in which it was found
};

// How the frame at hand shows a track.
struct Sighting {
  int box = -1;          // index into Frame::boxes; -1: it is not found
  Box measured;          // its box, parts joined; stays until it is found again
  bool in_group = false; // the box holds other tracks as well
  bool shown = false;    // nothing contradicts that it is in its box
  bool partial = false;  // the box shows a part of it
  PartPair parts;

  void begin_frame() {
    box = -1;
    in_group = partial = false;
    parts = {};
    shown = true;
  }
};

struct Track {
  Object object;
  Motion motion;
  Appearance appearance;
  Standstill standstill;
  Confirmation confirmation;
  Sighting sighting;
  Parting parting;
  double whole_at = 0; // seconds: when it was last seen whole, alone
  double pair_for = 0; // seconds for which its blob has looked like a pair (pair_splitter.h)
  bool traced = false; // back_trace.h has looked for it in earlier frames
};

// The box that a track has in this frame; null: it has none.
inline const ObservedBox *box_of(const Track &t, const Frame &f) {
  return t.sighting.box < 0 ? nullptr : &f.boxes[static_cast<std::size_t>(t.sighting.box)];
}

} // namespace vigil::track
