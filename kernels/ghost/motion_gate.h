// SPDX-License-Identifier: LGPL-2.1-or-later
// What of a frame's foreground is motion: for messages alone. Host memory, a few thousand cells; the mask,
// the blobs and what the model learns do not depend on it.
//
// A group is 8-connected cells of the grid, with the sums of its cells and rims (ghost.h,
// boundary_contrast.h). By the rim, `on` is how much of the difference goes on beyond the outline (outside /
// inside), `kept` the correlation of the ground's edges with the frame's, where the ground has any (else 0).
// Of somebody `on` is about 0 and `kept` small, of light both are about 1. is_light() asks for much before a
// blob is learnt at once; here a blob that looks like light is only not reported.
//
// Reported blobs count with all of their pixels, except groups whose difference goes on (`most_on`) or whose
// ground keeps its edges (`most_kept`). Motion begins only where cells are new: covered for `new_for` seconds
// or less, of which `forgets` of the time that they are free is taken off, and which is kept at `longest` or
// less. A cell that is covered for this frame alone is new, however long the frame lasts. What stands where
// it stood goes on with motion, and begins none; cars one after another do.
//
// Light that comes slowly fails to look like light in some of its frames, and more frames a second show more
// of them. So two things may speak against blobs that would begin motion; motion that there is goes on.
//   doubt  where light was (light_frames, or a group of any size that keeps the ground's edges, or one that
//          goes on and does not hide them), the cells within `doubt_reach` are doubted for `doubt_for`
//          seconds. A blob of which half of the cells are doubted must stand out clearly (`clear_on`,
//          `clear_kept`), as nearly everybody does
//   share  with p the pixels of all blobs that may begin motion, and l those of blobs and groups that may
//          not, p * p / (p + light_weight l) must reach the threshold: a small blob among much light does not
//
// With a delay of `trail_delay` or more, blobs and groups count only where something was near in the frame
// before (trail.h), if frames are 0.1 to 0.35 s apart: insects are elsewhere in each frame. Those that do not
// count speak against the others, as much light does. Where they are many, as in snow, those that follow
// count as far as they are more than may follow by chance (strays.h).
//
// A person far away, or in dim light, is smaller than a reported blob, or hardly differs from the ground.
// Such groups are few pixels, but go from cell to cell for seconds. So groups that are clearer than
// that (`weak_on`, `weak_kept`), of `least_weak` pixels and `least_rim` of a rim, in new cells, add up: with
// w their pixels as a share of the threshold (at most 1), times their share of all that changed in the frame
// (light that changes makes small blobs too), the sum of (w - leak) seconds is kept at 0 or more. From
// `enough` seconds on somebody passes, until it is half of that.
//
// Source: this project. The values were chosen on days of scenetestsrc's scene `day`
// (docs/measurements/log/2026-11/choices.md; doubt: foreground.md there).
#pragma once

#include "kernels/cell_grid/components.h"
#include "kernels/ghost/boundary_contrast.h"
#include "kernels/ghost/ghost.h"
#include "kernels/ghost/strays.h"
#include "kernels/ghost/trail.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace vigil::ghost {

inline constexpr double most_on = 0.4, most_kept = 0.9;
inline constexpr double weak_on = 0.3, weak_kept = 0.8;
inline constexpr std::uint32_t least_weak = 16, least_rim = 8;    // pixels
inline constexpr double new_for = 1, longest = 3, forgets = 0.25; // seconds; a share
inline constexpr double doubt_for = 1;                            // seconds
inline constexpr int doubt_reach = 1;                             // cells
inline constexpr double clear_on = 0.2, clear_kept = 0.6;
inline constexpr double trail_delay = 0.1; // seconds
inline constexpr double light_weight = 0.5;
inline constexpr double leak = 0.1, enough = 0.3; // of the threshold; seconds

class MotionGate {
 public:
  void reset(const cell_grid::Grid &);

  struct Frame {
    // Cells of reported blobs that are no light; light_frames where this frame's light was
    // (stationary_regions.h).
    std::span<const std::uint8_t> in_blob, light;
    std::span<const Cell> edges;
    std::span<const BoundaryContrast> rims;
    double seconds; // that the frame lasts
  };
  // Pixels that show motion, where motion begins from `threshold` pixels on. `reported`: those of the
  // blobs. `delay`: seconds for which motion must have gone on.
  double step(const Frame &, double reported, double threshold, double delay);

 private:
  struct Group;
  // Notes that these cells are covered for `lasts` seconds. How many have been for `most` seconds or less.
  std::size_t cover(std::span<const int> cells, double lasts, double most);
  void forget(double lasts); // of cells that are free
  bool are_doubted(std::span<const int> cells) const;
  void pass_doubt_on(double lasts); // to the next frame
  cell_grid::Grid grid_;
  cell_grid::Components groups_;
  Trail trail_;
  Strays strays_;
  std::vector<std::uint8_t> rest_, taken_; // taken: covered in this frame
  std::vector<double> covered_;            // seconds
  std::vector<double> doubt_;              // seconds for which a cell will be doubted
  std::vector<int> unclear_;               // cells in which something does not stand out in this frame
  double passing_ = 0;                     // seconds
  bool passes_ = false;
};

} // namespace vigil::ghost
