// SPDX-License-Identifier: LGPL-2.1-or-later
// What the CPU backend does with rows of a picture. Rows `first` to `last` - 1 are worked on; different rows
// may be, by different threads. Pictures are rgba; each function is compiled for several instruction sets, of
// which the machine's best is chosen at run time.
#pragma once

#include "common/cpu/bit_plane.h"
#include "kernels/colinearseg/colinearseg.h"

namespace vigil::colinearseg::cpu {

using Rgba = Plane<const std::uint8_t>;

// The least M that means changed, from 0 to 13 (never), as four binary digits: digit k of row y is row 4 y +
// k. What is no pixel has 15, which M never reaches.
constexpr int digits = 4;

// The thresholds that the frame's and the background's colours give with the compactness of the first
// iteration, and with that of the others. Where both are the same, `temporal` has no data.
void thresholds(Rgba frame, Rgba background, const Constants &, BitPlane temporal, BitPlane other, int first,
                int last);
// ceil(D2) without a darkness offset at all points of the grid.
void samples(Rgba frame, Rgba background, const SampleGrid &, std::uint32_t *out);

// Decides the pixels of one position of the lattice. Of the rows, only those of the position change, and they
// are read by no other thread; `none` is a row of zeros, which stands for what is outside.
void decide(BitPlane labels, BitPlane none, BitPlane thresholds, int position, int first, int last);

// State::exact: plane by plane, in rows that are a multiple of 64 values long.
struct Exact {
  std::uint32_t *data;
  int pitch, height;
  std::uint32_t *row(int channel, int y) const {
    return data + (std::ptrdiff_t{channel} * height + y) * pitch;
  }
};
// Adds frame number `count` to the sums; the background becomes their mean.
void learn(Rgba frame, Exact, int count, Plane<std::uint8_t> background, int first, int last);
// Moves the background towards the frame where the labels are 0, by `rate` in 1/32768.
void adapt(Rgba frame, BitPlane labels, Exact, int rate, Plane<std::uint8_t> background, int first, int last);
// The labels as bytes 0 or 255, in rows that are a multiple of 64 bytes long.
void spread(BitPlane labels, Plane<std::uint8_t> mask, int first, int last);

} // namespace vigil::colinearseg::cpu
