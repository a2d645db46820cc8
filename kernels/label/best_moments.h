// SPDX-License-Identifier: LGPL-2.1-or-later
// Which moments of a track its appearance is taken from, and the appearance of all of them together.
//
//   when     While there is room, every half second. Then when the track is larger by a fifth than at the
//            moment that shows it smallest, and no more often.
//   which    Those with the highest size * sharpness stay, at most as many as the caller says.
//   together The mean of their appearances, of length 1.
// Source: this project.
#pragma once

#include <cstddef>
#include <vector>

namespace vigil::label {

class BestMoments {
 public:
  // Whether a picture of this moment is worth its time; `size`: the box's longer side.
  bool wants(double seconds, double size, std::size_t most) const;
  // An appearance that is empty says nothing, and only the time counts.
  void add(double seconds, double size, double sharpness, std::vector<float> appearance, std::size_t most);
  std::size_t count() const { return kept_.size(); }
  std::vector<float> appearance() const; // empty: nothing was seen

 private:
  static constexpr double spacing = 0.5; // seconds
  struct Moment {
    double size, quality;
    std::vector<float> appearance;
  };
  std::vector<Moment> kept_;
  double next_ = 0;
  bool began_ = false;
};

} // namespace vigil::label
