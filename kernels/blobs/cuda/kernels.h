// SPDX-License-Identifier: LGPL-2.1-or-later
// The kernel of the CUDA backend, submitted to a stream of the current context.
#pragma once

#include "kernels/blobs/definitions.h"

struct CUstream_st;

namespace vigil::blobs {

// Memory of the device, made once.
//
// The mask is words of 32 pixels, bit i being the word's pixel i. With eight neighbours a line is two rows,
// the first of them even; with four it is one row. A run is a stretch of columns inside of a word that have
// foreground in the line. Of eight neighbours, two pixels of a line whose columns are the same or next to
// each other always touch, so a run is connected. Runs of a word lie two columns apart, so line * pitch + x /
// 2 of its first column is a run's number. `parent` and `value` have a place for each number; what is at
// numbers of no run is never read.
struct Work {
  std::uint32_t *bits;   // word x / 32 of row y at [x / 32 * stride + y]: lanes of a warp take lines
  std::uint32_t *parent; // of a run; the root of a component is its run of the least number
  std::uint32_t *value;  // of a root: the component's area, later its slot or no_slot
  // Numbers of all roots, in no order. Once slots are given: of a root, at its number, the component's first
  // pixel, y * width + x.
  std::uint32_t *roots;
  Blob
      *slots; // of the reported components; width and height are the inclusive right and bottom until the end
  struct Counters {
    std::uint64_t foreground, between;
    std::uint32_t components, slots;
    std::uint32_t level[levels];
  } * counters;
  int width, height, words; // words in a row
  std::uint32_t most;

  VIGIL_HOST_DEVICE std::uint32_t pitch() const { return std::uint32_t(words) * 16; }
  VIGIL_HOST_DEVICE int stride() const { return (height + 1) / 2 * 2; }
};

// How many blocks of threads the kernel is to have on this device, whose context is current.
int blocks_for(const Work &, int device);
// Results go to host memory. Throws Error::device.
void launch_find(const Work &, int blocks, Plane<const std::uint8_t> mask, const Params &, const Extras &,
                 Results::Head *, Blob *, CUstream_st *);

} // namespace vigil::blobs
