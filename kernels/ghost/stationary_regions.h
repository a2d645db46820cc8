// SPDX-License-Identifier: LGPL-2.1-or-later
// What stands still, cell by cell: how long foreground has covered a cell of the grid without a break, what
// its outline says (ghost.h), whether it stirs, and so how fast the model is to learn there. Host memory, a
// few thousand cells.
//
// A blob (8-connected cells that were reported) is judged from its cells' sums, at each look at the edges:
//   parts     what the outline says close to each cell: decide() of the sums of the cells within
//             part_reach of it, with clearly_part. A blob with least_part cells of either verdict is a
//             ghost that touches an object: its ghost cells are judged as a ghost, all others by their own
//             sum. So the ground is learnt, and somebody who has stepped aside and stays is not. With each
//             look the outline comes nearer to the object, since what was learnt is foreground no more
//   evidence  moves by a quarter towards 1 (object), -1 (ghost) or 0 (undecided), so that one bad look
//             decides nothing
//   stir      moves by a quarter towards sum |pixels - pixels at the look before| / outline: how many pixels
//             the outline moved, at most 1, so that what went past a thing is soon forgotten. People who wait
//             shift their weight (0.3 and more), things do not (0.05 to 0.2: noise).
//   still     the seconds for which stir has stayed below still_below
//
//   in a blob that is light (take_light), and light_frames      learnt at once: what was there before would
//   frames after that, but at most for light_seconds, unless     hide objects that look like it
//   a blob is there again; and within light_reach cells of it
//   not in a blob, or more than `too_much` of the grid is       usual rate
//   in a blob, covered for less than `settled` seconds          foreground rate
//   longer, evidence below -0.5                                 ghost: learnt at once
//   longer, still for absorb_after seconds (when that is > 0)   a thing: learnt at once
//   longer, evidence above 0.3                                  object: foreground rate
//   longer, between                                             undecided: between the foreground rate and
//                                                               the usual one
#pragma once

#include "kernels/cell_grid/components.h"
#include "kernels/ghost/boundary_contrast.h"
#include "kernels/ghost/ghost.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace vigil::ghost {

// The kinds of mog::RateMap.
enum class AdaptationRate : std::uint8_t { usual, foreground, undecided, at_once };

inline constexpr int light_frames = 25, light_reach = 2; // cells
// At a few frames a second light_frames would last so long that what crosses that place is learnt as well.
inline constexpr double light_seconds = 4;
inline constexpr float settled = 1.f; // seconds
inline constexpr float still_below = 0.25f;
// Of parts of a blob. Chosen on scenetestsrc's `step-aside`, seed 1, shown on other seeds and on `uncovered`
// (tests/quality/README.md).
inline constexpr int part_reach = 1; // cells
inline constexpr double clearly_part = 2;
inline constexpr std::size_t least_part = 2; // cells
// Share of the cells from which on blobs are no objects: all is kept from locking itself in.
inline constexpr double too_much = 0.5;

class StationaryRegions {
 public:
  void reset(const cell_grid::Grid &);
  // Takes the blobs out of `in_blob` whose outlines say that light changed there (is_light), until the next
  // call of step(). `edges` and `rims` are those of this very frame; empty: nothing is taken. Returns
  // whether there were any.
  bool take_light(std::span<std::uint8_t> in_blob, std::span<const Cell> edges,
                  std::span<const BoundaryContrast> rims);
  // For each cell that take_light() took, light_frames less the frames since then; 0: never, or too long ago.
  std::span<const std::uint8_t> light() const { return light_; }
  // A frame that lasts `seconds`: which cells belong to a blob (not 0), and, when this frame was looked at,
  // what its outlines say (else empty).
  void step(std::span<const std::uint8_t> in_blob, std::span<const Cell> edges, double seconds,
            double absorb_after);
  // A Pace for each cell, as bytes; `any` is false when all are usual.
  std::span<const std::uint8_t> paces() const { return paces_; }
  bool any() const { return any_; }
  // Whether this cell is taken for a ghost's, in the frame of the last step().
  bool is_ghost(std::size_t cell) const { return ghost_[cell] != 0; }
  // Cells that are taken for ghosts, and for objects, now.
  int ghosts() const { return ghosts_; }
  int objects() const { return objects_; }

 private:
  // The sums of what belongs to blobs within part_reach of a cell.
  Cell around(int cell, std::span<const std::uint8_t> in_blob, std::span<const Cell> edges) const;
  void judge(std::span<const std::uint8_t> in_blob, std::span<const Cell> edges);
  cell_grid::Grid grid_;
  double lasts_ = 0;            // seconds, of the last frame
  std::vector<float> covered_;  // seconds
  std::vector<float> evidence_; // -1 ghost .. 1 object
  std::vector<float> stir_;     // pixels that the outline moves from look to look
  std::vector<float> still_;    // seconds
  std::vector<std::uint32_t> last_count_;
  std::vector<Verdict> part_; // what the outline says close to a cell
  std::vector<std::uint8_t> paces_, light_, ghost_;
  cell_grid::Components groups_;
  bool any_ = false;
  int ghosts_ = 0, objects_ = 0;
};

} // namespace vigil::ghost
