// SPDX-License-Identifier: LGPL-2.1-or-later
// Shape and motion of one track, as numbers of the order of 1 that do not depend on the picture's size or on
// the frame rate. A feature that is not known, since the track was too short for it, is NaN.
#pragma once

#include "kernels/label/place_scale.h"
#include "kernels/track/box.h"

#include <array>
#include <cstddef>
#include <vector>

namespace vigil::label {

enum class Feature {
  aspect,         // ln(height / width) of the box, the median of all views
  aspect_change,  // mean absolute deviation of ln(height / width) from it
  size,           // ln(sqrt(box area) / picture height), the median
  relative_size,  // the same, less what is usual where its bottom is (PlaceScale)
  speed,          // ln(0.05 + speed / sqrt(box area)): own sizes per second
  relative_speed, // ln(0.01 + speed / picture height), less what is usual there
  sideways,       // |dx| / (|dx| + |dy|) of the way, 0..1
  straightness,   // distance from the first to the last place / length of the way, 0..1
  travel,         // ln(0.05 + distance from the first to the last place / sqrt(box area))
  rhythm,         // periodicity of the box's width at 0.25 to 1.2 s, 0..1: a walker's legs
  filled,         // share of the box that is object, 0..1, the median
  upright,        // ln(spread down / spread across) of the object's pixels / 2, the median
};
inline constexpr std::size_t feature_count = 12;
using Features = std::array<float, feature_count>;
const char *name_of(Feature);
inline float get(const Features &f, Feature which) {
  return f[static_cast<std::size_t>(which)];
}

// How one frame shows the track.
struct View {
  double seconds = 0;
  track::Box box;
  double area = 0;                           // pixels of the object in the box; 0: not known
  double spread_across = 0, spread_down = 0; // variances of these pixels; 0: not known
};

// The views of one track. Of a long track some are left out, evenly, so that the memory is bounded.
class TrackViews {
 public:
  static constexpr std::size_t most_kept = 256;

  // In the order of time. Boxes at the picture's border show a part of the object: they count for its motion
  // alone. Boxes that are not finite or have no size are ignored.
  void add(const View &, double picture_width, double picture_height);
  std::size_t count() const { return count_; } // that were added, also those left out since
  double first_seconds() const { return views_.empty() ? 0 : views_.front().seconds; }
  double last_seconds() const { return last_seconds_; }

  Features features(const PlaceScale &) const;
  // What the place learns from this track: call once, at its end.
  void teach(PlaceScale &) const;

 private:
  struct Kept {
    double seconds, x, y, aspect, size, filled, upright, width; // bottom centre; y and size by picture height
    bool whole;
  };
  struct Motion {
    double speed, sideways, straightness, travelled; // by picture heights
  };
  std::vector<double> of_whole(double Kept::*) const;
  Motion motion() const;
  double rhythm() const;

  std::vector<Kept> views_;
  std::size_t count_ = 0, stride_ = 1;
  double last_seconds_ = 0;
};

} // namespace vigil::label
