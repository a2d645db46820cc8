// SPDX-License-Identifier: LGPL-2.1-or-later
// How large and how fast tracks usually are where their lower edge is: what is far away is high in the
// picture, small and slow. Learnt from tracks that have ended, in bands of the picture's height; a band with
// few tracks is taken towards the mean of all bands.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace vigil::label {

class PlaceScale {
 public:
  static constexpr std::size_t bands = 8;
  static constexpr double enough = 4; // tracks before usual() knows anything

  struct Usual {
    double size = 0, speed = 0; // logarithms, as the features are
  };
  // `bottom`: 0 is the upper edge of the picture, 1 the lower one.
  void learn(double bottom, double size, double speed);
  std::optional<Usual> usual(double bottom) const;
  double tracks() const { return all_.weight; }

  // All that was learnt, as numbers: weight, size and speed of each band, then of all. Nothing: `numbers` are
  // of another version, or damaged.
  std::vector<double> numbers() const;
  static std::optional<PlaceScale> of(std::span<const double> numbers);

 private:
  static constexpr double forgets_after = 500; // tracks in a band: cameras are turned
  struct Mean {
    double weight = 0, size = 0, speed = 0;
    void add(double size, double speed);
  };
  static std::size_t band_of(double bottom);
  std::array<Mean, bands> band_;
  Mean all_;
};

} // namespace vigil::label
