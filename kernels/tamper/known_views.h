// SPDX-License-Identifier: LGPL-2.1-or-later
// Which of the places that a camera has looked at does it show? A camera on a tour looks at a few places in
// turn; one that was pushed may come back. Host memory. Source: this project.
//
// A view is the running mean of the sketches of one place over view_memory seconds. Each look compares the
// sketch with the current view (sketch.h):
//   agreement > lost_below      or the model of it explains the picture, and did at the look before: it still
//                               is that view, which learns the sketch
//   agreement <= lost_below     and another view agrees by at least known_from: the camera shows that one
//   neither                     and the picture stands (agreement with the look before >= steady_from) and is
//                               not empty (structure >= empty_below) for new_after seconds without a break:
//                               a new view. With `most` views it takes the place of the one that was current
//                               longest ago
// Something that fills the picture for new_after seconds becomes a view too. When it is gone, the view before
// it is known.
#pragma once

#include "kernels/tamper/sketch.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace vigil::tamper {

inline constexpr double view_memory = 30, new_after = 0.5; // seconds
inline constexpr float known_from = 0.6f;                  // agreement

class KnownViews {
 public:
  static constexpr std::size_t most = 8;
  struct Change {
    std::size_t to; // place in the list of views
    bool known;     // else it is new, and what was known of the view at this place is forgotten
  };
  // The sketches of this look and of the one before, `seconds` apart. `explained`: a model of the current
  // view explains the picture, however the sketch has changed, as where a camera sways or drifts.
  std::optional<Change> look(const Sketch &shown, const Sketch &before, double seconds, bool explained);
  // After the first look: what the current view shows.
  const Sketch &current() const { return views_[current_].mean; }
  // Whether the last look did not show the view that was current.
  bool elsewhere() const { return elsewhere_; }
  void forget() { *this = {}; }

 private:
  struct View {
    Sketch mean;
    double seconds = 0;           // that are in it
    std::uint64_t current_at = 0; // the number of the last look at it
  };
  void learn(View &, const Sketch &, double seconds);
  std::optional<std::size_t> recognise(const Sketch &) const;
  std::size_t place_for_new() const;
  Change change_to(std::size_t, bool known);
  std::vector<View> views_;
  std::size_t current_ = 0;
  std::uint64_t looks_ = 0;
  double away_for_ = 0; // seconds
  bool elsewhere_ = false;
};

} // namespace vigil::tamper
