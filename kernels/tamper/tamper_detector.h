// SPDX-License-Identifier: LGPL-2.1-or-later
// Is a fixed camera covered, out of focus, or moved? Its sketches are compared (compare.h) with what it
// showed before, `known`: the running mean of its sketches over `memory` seconds, 1/n while there are few.
//
// A comparison says one of
//   nothing   fewer than least_blocks blocks of the known picture are textured
//   covered   agreement <= lost_below and structure < empty_below: nothing of the scene is left
//   elsewhere agreement <= lost_below, and yet there is structure, and the agreement with the look before is
//             at least steady_from: another picture, which stands
//   lost      agreement <= lost_below otherwise: something that passes close by, or a camera that shakes
//   blurred   sharpness below blurred_below
//   normal    agreement >= found_from, and sharpness of at least sharp_from or not known
//   doubtful  anything between: neither begins nor ends anything
// and an event begins when the same is said for its time without a break:
//   covered  covered_after seconds
//   blurred  blurred_after
//   moved    elsewhere for moved_after, and find_shift() finds a shift of at least least_shift cells; or
//            elsewhere for turned_after, when no shift explains it: the camera was turned away, or looks at
//            something put in front of it
// Covered and blurred end when normal was said for `back_after` seconds; covered also where the camera turns
// out to be moved. With `moved` the known picture starts over; it ends when the new one is settled. Nothing
// is said before the first `settled` seconds and least_looks looks. What is covered, blurred, elsewhere or
// lost is not learnt; but what was lost for forgotten_after seconds is taken for the scene from then on,
// without an event.
#pragma once

#include "kernels/tamper/sketch.h"

#include <cstdint>
#include <optional>
#include <span>

namespace vigil::tamper {

inline constexpr double look_every = 0.25; // seconds of the stream, or each frame where that is longer
inline constexpr double memory = 120, settled = 5;
inline constexpr int least_looks = 5;
inline constexpr float lost_below = 0.2f, found_from = 0.4f, steady_from = 0.6f;
inline constexpr float empty_below = 0.1f;
inline constexpr float blurred_below = 0.5f, sharp_from = 0.7f;
inline constexpr double covered_after = 2, blurred_after = 8, moved_after = 5, turned_after = 30,
                        back_after = 1, forgotten_after = 120;
inline constexpr float least_shift = 1.f; // cells

enum class TamperKind : std::uint8_t { covered, blurred, moved };

struct Event {
  TamperKind trouble;
  bool begins;
  double since;                     // seconds before this frame at which what began or ended was first seen
  Comparison seen;                  // against what was known
  std::optional<ViewShift> shift{}; // of a camera that moved, where one was found
};

class TamperDetector {
 public:
  // Whether the next frame, which lasts `seconds`, is one to look at: the seconds since the last one that
  // was. `at_once`: it is.
  std::optional<double> due(double seconds, bool at_once = false);
  // A frame that was due, by its spots, and what due() said of it. In the order of the frames; further frames
  // may have been asked for meanwhile. At most one event a look.
  std::optional<Event> look(const Layout &, std::span<const Spot>, double seconds);
  // The sketches of the last look, and of the one before it.
  const Sketch &shown() const { return frame_; }
  const Sketch &shown_before() const { return before_; }
  // The camera shows this view, which was known before (known_views.h): it has not been moved by anybody. An
  // event that goes on ends as the picture is normal.
  void recognise(const Sketch &view);
  // What is known is learnt again. An event that goes on ends when the new picture is settled.
  void forget() { start_over(); }
  // Nothing is looked at from now on. The event that goes on, if any, ends.
  std::optional<Event> stop();

 private:
  enum class Says : std::uint8_t { nothing, normal, doubtful, blurred, covered, elsewhere, lost };
  Says judge(const Comparison &) const;
  void learn();
  void start_over();
  std::optional<Event> begin(TamperKind, const Comparison &);
  std::optional<Event> end(const Comparison &);

  Sketch known_, frame_, before_;
  int looks_ = 0;                  // that are in known_
  double seconds_ = 0, since_ = 0; // known_ has seen; since the last look
  double took_ = 0;                // seconds from look to look
  Says said_ = Says::nothing;
  double said_for_ = 0, lost_for_ = 0;
  double next_search_ = 0; // of said_for_: a shift is looked for
  std::optional<TamperKind> now_;
};

} // namespace vigil::tamper
