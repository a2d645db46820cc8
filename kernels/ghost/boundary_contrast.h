// SPDX-License-Identifier: LGPL-2.1-or-later
// Does the difference between frame and background end at a blob's outline? It does where something stands,
// not where light changes: the shadow of a cloud and the light of a lamp fade over many pixels. The contract
// that every backend keeps.
//
// With F and L of ghost.h, d = L of the frame - L of the background, p a pixel of the outline, n the
// direction to the first of its neighbours left, right, above and below that is in the picture and not in
// F, i = p - rim_inside n and o = p + rim_outside n: p counts for the rim when i and o are in the picture,
// i in F and o not. For each cell of activity's grid: the number of such pixels, the sum of |d(i)|, and
// that of sign(d(i)) d(o).
//
// And does the ground keep its edges? Light leaves them where they are, however much it changes; who stands
// there hides them. With the gradient of a picture's luma at i, by the reach of ghost.h,
//   g = (L(x + reach, y) - L(x - reach, y), L(x, y + reach) - L(x, y - reach))
// the sums over the same pixels of g.g in the frame, of g.g in the background, and of the one's g times the
// other's. All sums are integers, so backends give the same bytes. Source: this project.
#pragma once

#include "kernels/ghost/ghost.h"

namespace vigil::ghost {

inline constexpr int rim_inside = 2, rim_outside = 4; // pixels

struct BoundaryContrast {
  std::uint32_t pixels = 0, inside = 0;
  std::int32_t outside = 0;
  std::uint32_t frame = 0, background = 0; // of g.g
  std::int32_t both = 0;
  bool operator==(const BoundaryContrast &) const = default;
};
constexpr BoundaryContrast &operator+=(BoundaryContrast &a, const BoundaryContrast &b) {
  a.pixels += b.pixels;
  a.inside += b.inside;
  a.outside += b.outside;
  a.frame += b.frame;
  a.background += b.background;
  a.both += b.both;
  return a;
}
// The same of a blob, which may be too large for 32 bits.
struct BlobRim {
  std::uint64_t pixels = 0, inside = 0, frame = 0, background = 0;
  std::int64_t outside = 0, both = 0;
  constexpr BlobRim &operator+=(const BoundaryContrast &r) {
    pixels += r.pixels;
    inside += r.inside;
    outside += r.outside;
    frame += r.frame;
    background += r.background;
    both += r.both;
    return *this;
  }
};

// Whether a blob is light that changed. With w = inside / pixels, what the difference is within the outline:
//   beyond it the difference is still `goes_on` w, or `goes_on_strong` w where w is more than `weak`, since
//   the outline of what fades lies where it is just enough to be foreground; more than `strong` is no light
//   the edges of one picture are at most edges_change times those of the other, as light makes them
// Where the ground has edges (the root of background / pixels is at least `textured`), these are asked:
//   their correlation with the frame's, both / sqrt(frame background), is at least least_kept, and then the
//   third condition falls away; from `kept` on goes_on is enough for any w
// A rim shorter than least_pixels says no. w in grey levels. `again`: light changed there just before, so
// less is asked for: goes_on_again, and for more than `weak` goes_on. The values were chosen on Wallflower's
// Camouflage and on hours of scenetestsrc's scene `day` (docs/measurements/log/2026-11/choices.md).
inline constexpr double goes_on = 0.3, goes_on_strong = 0.55, goes_on_again = 0.15, weak = 40, strong = 90,
                        edges_change = 2.5;
inline constexpr double textured = 8, least_kept = 0.4, kept = 0.7;
bool is_light(const Cell &, const BlobRim &, bool again = false);

} // namespace vigil::ghost
