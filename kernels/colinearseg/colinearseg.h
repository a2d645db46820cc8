// SPDX-License-Identifier: LGPL-2.1-or-later
// Foreground segmentation by the colinearity of colours and an iterated Markov random field: the contract.
//
// Source: the technical report on GPU-based foreground-background segmentation by an extended colinearity
// criterion (Griesser et al., ETH Zurich, on a GeForce 6800GT), after Mester et al. Equation and section
// numbers are its.
//
// Samples are 0..255 in three channels. W is the 3x3 window around a pixel; outside the picture it holds the
// nearest pixel inside.
//
//   fore = sum x_f^2, back = sum x_b^2, cross = sum x_f x_b over W and the channels (3); f: frame,
//   b: background
//   D2 = (F + G - sqrt((F - G)^2 + 4 C^2)) / 2 (12, 2.4) with F = fore + O, G = back + O, C = cross + O
//   M = 2 * (changed ones of the 4 neighbours left, right, above, below) + (changed diagonal ones) (11)
//   changed  <=>  D2 > T (5) with T = Ts + 12 B - 2 B M (11)
// Neighbours outside the picture are unchanged. O is the darkness offset, Ts the static threshold, B the
// compactness. O, Ts and B are whole numbers here. D2 > T is then the same as (F - T)(G - T) > C^2 and F > T
// (14) between whole numbers, and the same as M >= n for a whole number n from 0 to 13 that does not change
// during the iterations (18): all backends give the same mask, bit for bit.
//
// A frame's mask starts as the mask of the frame before, all unchanged before the first. One iteration with
// B = temporal_compactness, then `iterations` ones with B = compactness. An iteration visits the four
// positions (x mod 2, y mod 2) of the 2x2 lattice in the order permutation(seed, frame, iteration) (15); all
// pixels of one position are decided at once from the mask as it is then.
//
// Background: the mean of the first frames, rounded, or a given picture. With adapt_rate r > 0 each unchanged
// pixel moves towards the frame: b' = b + r (f - b), in whole numbers as adapted() says.
//
// Noise: where the background shows, D2 would be sigma^2 times a chi-square variable (2.1) of 26 degrees of
// freedom (54 measurements, 28 unknowns; the report prints 3(N - 1) = 24) if all noise were alike. In
// compressed video it differs from place to place, and the logarithm of D2 is close to a normal variable:
// measured on CDnet highway and pedestrians, its deviation is 1.3 to 1.7 (0.28 for even noise), the same from
// the median up to the 99th percentile. So the noise is two numbers, level (median of D2 with O = 0) and
// spread, both taken over the picture; static_threshold < 0 makes Ts of them, see threshold_for().
#pragma once

#include "common/params.h"
#include "common/plane.h"

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace vigil::colinearseg {

struct Config {
  int width = 0, height = 0; // 1 to 32768
  bool operator==(const Config &) const = default;
};
void check_config(const Config &); // throws Error::bad_setting when out of range
// Throws Error::bad_setting unless the picture is rgba or bgra, bad_data unless it is of the config's size.
void check_picture(const ConstImage &, const Config &);

inline constexpr int max_iterations = 64;
inline constexpr int max_learn_frames = 10000;

// What may change from frame to frame.
struct Params {
  int static_threshold = -1;
  float significance = 1e-5f;
  int darkness_offset = -1;
  int temporal_compactness = -1;
  int compactness = -1;
  int iterations = 6;
  int seed = 1;
  float adapt_rate = 0.005f;
};
inline constexpr auto params_table = std::tuple{
    param("static-threshold", "Static threshold",
          "Evidence of change above which a pixel is foreground (the paper's T_s). Lower: more is found, "
          "and more noise. -1: from the measured noise and significance",
          &Params::static_threshold, -1, 1000000),
    param("significance", "Significance",
          "Share of the unchanged pixels whose evidence may pass the static threshold when that is -1. "
          "Higher: fainter things are found, and more noise",
          &Params::significance, 1e-12f, 0.5f),
    param("darkness-offset", "Darkness offset",
          "How much brightness counts beyond colour (the paper's O_dc). Lower: shadows stay background, and"
          " dark things on bright ground are missed. 0: brightness never counts. -1: 25 times the static "
          "threshold",
          &Params::darkness_offset, -1, 10000000),
    param("temporal-compactness", "Temporal compactness",
          "Weight of the neighbours in the frame before (the paper's B_1); -1: 0.18 times the static "
          "threshold",
          &Params::temporal_compactness, -1, 100000),
    param("compactness", "Compactness",
          "Weight of the neighbours (the paper's B_2); -1: 0.18 times the static threshold",
          &Params::compactness, -1, 100000),
    param("iterations", "Iterations",
          "Iterations of the Markov random field with compactness, after the one with temporal-compactness."
          " Higher: compact regions, no single pixels, more time",
          &Params::iterations, 0, max_iterations),
    param("seed", "Seed", "Start of the random order in which the pixels are visited", &Params::seed, 0,
          2147483647),
    param("adapt-rate", "Adaptation rate",
          "Share of each frame that goes into unchanged pixels of the background: with 0.005 half of a "
          "change is learnt in 140 frames. 0: the background stays",
          &Params::adapt_rate, 0.f, 0.5f),
};
// The paper's own values, for an evenly lit room and a camera of little noise.
constexpr Params lab_preset() {
  return {.static_threshold = 310,
          .darkness_offset = 5800,
          .temporal_compactness = 2,
          .compactness = 200,
          .adapt_rate = 0.f};
}

// Noise of the frames against the background.
struct Noise {
  double level = 0;  // mean over frames of ln(1 + median of D2)
  double spread = 0; // mean over frames of the deviation of ln(1 + D2), from median and 90th percentile
  int frames = 0;    // measured so far; further ones are not when it has reached measured_frames()
  bool operator==(const Noise &) const = default;
};
// Adds one frame: ceil(D2) with O = 0 at the points of sample_grid(). Empty samples change nothing.
void add_frame(Noise &, std::span<const std::uint32_t> samples);
// Points (min(step/2 + i*step, width-1), min(step/2 + j*step, height-1)), row by row; at most 4096.
struct SampleGrid {
  int step, columns, rows;
};
SampleGrid sample_grid(const Config &);
constexpr int measured_frames(int learn_frames) {
  return (learn_frames + 1) / 2;
}
// Ts = (median + 26 * 10) * exp(z * min(spread, 0.83)), z the normal quantile of `significance`, rounded and
// within the parameter's range. 26 degrees of freedom times a variance of 10 stands for what seconds of
// learning do not show: slow changes of light, and of the camera's own exposure. A spread above 0.83 comes
// from what moves. Both numbers were chosen on CDnet highway and pedestrians. Without a measured frame the
// median counts as 26 * 10 once more.
int threshold_for(const Noise &, double significance);

// The numbers that backends work with: Params with the special values replaced, all within their ranges.
struct Constants {
  int static_threshold, darkness_offset, temporal_compactness, compactness, iterations;
  int adapt; // adapt_rate in 1/32768
  std::uint32_t seed;
};
Constants resolve(const Params &, const Noise &);

// Position i of the 2x2 lattice is the pixels with x % 2 == i % 2 and y % 2 == i / 2. The order in which one
// iteration visits the positions, from the 24 there are; iteration 0 is the one with temporal_compactness.
// Counter-based: no state.
using Order = std::array<std::uint8_t, 4>;
Order permutation(std::uint32_t seed, std::uint64_t frame, int iteration);

// One step of a background value in 1/65536 grey levels towards the sample of the frame, `rate` in 1/32768
// (at most 1/2). Fits 32-bit arithmetic.
constexpr std::uint32_t adapted(std::uint32_t value, int sample, int rate) {
  const std::int32_t way = (sample << 16) - static_cast<std::int32_t>(value);
  return static_cast<std::uint32_t>(static_cast<std::int32_t>(value) + (((way >> 8) * rate + 64) >> 7));
}

// How far it is: the background's frames, then those that are segmented.
struct Progress {
  std::uint64_t frames = 0; // segmented since the background was set; the counter of permutation()
  int learn_frames = 0;     // frames that make the background; 0: the background was given
  int learnt = 0;           // of them so far
  Noise noise;
  int measure_frames = 0; // frames that measure the noise
  bool learning() const { return learnt < learn_frames; }
  // The next frame measures the noise, against the background as it is before that frame.
  bool measures_next() const {
    const bool second_half = learnt >= 1 && learnt + 1 > learn_frames / 2;
    return noise.frames < measure_frames && (!learning() || second_half);
  }
  // The background and its noise are as they will stay, except for adaptation.
  bool settled() const { return !learning() && noise.frames >= measure_frames; }
};
// At the beginning: the background is learnt from so many frames, or (`given`) known, and only the noise is
// measured. Throws Error::bad_setting when the number is out of range.
Progress new_progress(int learn_frames, bool given = false);

// State in host memory, the same for the reference and all backends. i = y*width + x, n = width*height.
struct State : Progress {
  Config config;
  std::vector<std::uint8_t> background; // [3*i + c] RGB; while learning the mean so far
  std::vector<std::uint32_t>
      exact; // [3*i + c] while learning the sum; when adapting 1/65536 levels; else empty
  std::vector<std::uint8_t> mask; // [i] 0 or 255
};
State empty_state(const Config &, int learn_frames); // throws Error::bad_setting when out of range
// Throws Error::bad_data, naming what differs, unless the state fits the size and its arrays are whole.
void check_fits(const State &, const Config &);

// Pictures that backends make of a mask.
enum class Show {
  mask = 0,       // white where the mask is set, else black
  overlay = 1,    // as compose.h says
  cutout = 2,     // the frame with alpha 255 where the mask is set, else 0 (not premultiplied)
  background = 3, // alpha 255
};

// Naive loops in double precision straight from the formulas above; host memory.
class Reference {
 public:
  // Learns its background from the first `learn_frames` frames; their masks are all unchanged. The noise is
  // measured in the second half of them, each against the mean of those before, and goes on after them while
  // frames are missing.
  Reference(const Config &, int learn_frames);
  const Config &config() const { return state_.config; }
  // A given background, rgba or bgra of the config's size; the noise is measured on the next frames, each
  // before it is segmented. The mask starts over.
  void set_background(ConstImage, int learn_frames);
  // `frame` is rgba or bgra of the config's size. mask: 0 or 255.
  void segment(ConstImage frame, const Params &, Plane<std::uint8_t> mask);
  const State &state() const { return state_; }
  void load(const State &); // throws Error::bad_data when it does not fit

 private:
  void learn(ConstImage);
  void measure(ConstImage);
  State state_;
};

} // namespace vigil::colinearseg
