// SPDX-License-Identifier: LGPL-2.1-or-later
// By how many pixels is a frame shifted against the picture of its background? A camera on a pole that sways
// shows the same scene at another place in each frame; the model of the background is to be addressed through
// this shift (mog.h, Step::shift). The contract that every backend keeps.
//
// Points. The picture of the background is cut into tile_columns x tile_rows tiles (those of TileGrid). With
// L the luma of ghost.h and r = reach_of(longest side), in each tile the place with the greatest |L(x + r, y)
// - L(x - r, y)| becomes a point, and likewise the one with the greatest |L(x, y + r) - L(x, y - r)|: among
// every step-th pixel of every step-th row, step = max(1, a sixth of the tile's shorter side), the first of
// equals, and only where the difference b is at least least_edge. Luma beyond the border is that of the
// border.
//
// Score. f(s) is the same difference in the frame at the point moved by s. The point agrees by
//   min(|f|, |b|) / max(|f|, |b|) where f and b have the same sign, else 0
// so a change of exposure takes little of it, and what moves in front of a point takes that point alone. The
// score of s is the mean over the points whose samples all lie in the frame; it counts where these are at
// least half of all. The CPU and CUDA round each point's part down to 1/share_unit, so that sums are
// integers and both find the same.
//
// Answer. The shift of at most range_of(longest side) pixels in x and in y with the greatest score, if that
// is at least least_score and at least `margin` more than the score of no shift; else no shift, as where
// there are fewer than least_points points. Whole pixels: the model is addressed, not resampled.
//
// Turn and zoom. Where the best shift scores less than at_once, the search goes on from there to turns of at
// most most_turn and zooms of at most most_zoom, with their shifts; the point's place is then that of
// common/turned.h. What it finds is the answer where it scores turned_margin more than the shift alone.
// CUDA and OpenGL look for shifts alone. The distance of a pixel from its place is whole, one for each tile
// of 8x8 pixels.
//
// The reference tries all shifts. The backends search (search.h), look alike at the same shifts and give the
// same answers bit for bit; they may miss the reference's where scores are nearly equal or the scene repeats
// itself. Through which shift a frame is compared then says handover.h.
#pragma once

#include "common/device.h"
#include "common/plane.h"
#include "common/shifted.h"

#include <memory>

namespace vigil::registration {

inline constexpr int tile_columns = 24, tile_rows = 16;
inline constexpr int most_points = 2 * tile_columns * tile_rows;
inline constexpr int least_edge = 12; // grey levels
inline constexpr int least_points = 48;
inline constexpr float least_score = 0.4f, at_once = 0.8f, still = 0.5f, margin = 0.06f;
// Of what is turned or larger; that of shifts, nothing was chosen. Shown on highway and pedestrians (the log,
// foreground.md, a camera that turns).
inline constexpr float turned_margin = margin;
inline constexpr int share_unit = 4096;

constexpr VIGIL_HOST_DEVICE int reach_of(int longest_side) {
  return longest_side < 640 ? 1 : longest_side / 640;
}
// A pole's sway of 30 pixels at 320 wide.
constexpr VIGIL_HOST_DEVICE int range_of(int longest_side) {
  return longest_side / 10;
}
// Turns of up to 2 degrees, and zooms of up to 2 %.
constexpr VIGIL_HOST_DEVICE int most_turn(int longest_side) {
  return longest_side * 7 / 200;
}
constexpr VIGIL_HOST_DEVICE int most_zoom(int longest_side) {
  return longest_side / 50;
}
// The most that Sway::shift can be: handover.h adds up to a pixel.
constexpr VIGIL_HOST_DEVICE int most_sway(int longest_side) {
  return range_of(longest_side) + 1;
}

struct Match {
  Shift shift;
  int points = 0;               // of the background
  float score = 0, at_rest = 0; // of the shift, and of none
};
// What is known of a frame.
struct AppliedShift {
  Shift shift; // that it is to be compared through
  Match found; // that it has
};

class Registration {
 public:
  virtual ~Registration() = default;
  // The background from now on; 8 bits a sample. It must stay as it is until what is submitted before the
  // next call is done. Throws Error::bad_setting for 16 bits a sample.
  virtual void set_background(const ConstImage &background, Queue &) = 0;
  // Looks for a frame of the background's size and format, and writes *sway in the device's memory and,
  // unless it is null, *host_copy in host memory (Device::allocate_host), both in order with the queue.
  // Throws Error::bad_setting for another frame.
  virtual void find(const ConstImage &frame, AppliedShift *sway, AppliedShift *host_copy, Queue &) = 0;
  // No frame was looked at before the next one.
  virtual void forget() = 0;
};
std::unique_ptr<Registration> make_reference(); // host memory
std::unique_ptr<Registration> make_cpu(bool turns = true);
std::unique_ptr<Registration> make_cuda(Device &); // throws no_device when built without CUDA
// In OpenGL compute shaders, called on the thread where the device's context is current. Throws
// Error::no_device when built without OpenGL, or when the device lacks something, which is named.
std::unique_ptr<Registration> make_gl(Device &);
std::unique_ptr<Registration> make(Device &); // the device must outlive it
// What every backend does before it starts: with a background, and with a frame.
void check_background(const ConstImage &);
void check(const ConstImage &frame, const ConstImage &background);

} // namespace vigil::registration
