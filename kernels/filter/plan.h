// SPDX-License-Identifier: LGPL-2.1-or-later
// How a chain becomes kernels. Structure (which operations, how far they read) becomes code; numbers
// (weights, tables) become data, so that a chain whose numbers change needs no compiler.
//
// A pass is one kernel. A work-group makes one tile of the result: it loads the tile with a halo around,
// applies the point operations before the first stencil while loading, and then lets one stencil after
// another, each with the point operations behind it, shrink the halo to nothing. What lies outside the
// picture is never computed from what lies outside: a value there is the one of the nearest pixel inside,
// after each stencil again, which is what the stages one by one would read.
#pragma once

#include "kernels/filter/definitions.h"

#include <cstddef>
#include <string>

namespace vigil::filter {

// What one stage, or several tables in a row, does to a pixel. `at`: where its numbers begin.
struct PointOp {
  bool matrix;
  int at; // matrix: in Numbers::values (m row by row, then o); table: in Numbers::tables
  bool operator==(const PointOp &) const = default;
};
struct StencilOp {
  Kind kind;
  int radius;
  bool absolute; // Kind::linear
  int at; // in Numbers::values: k and offset; amount; weights; across, down (or all weights), offset, shift; s and t
  std::vector<PointOp> after;
  bool separable = false; // across and then down
  bool operator==(const StencilOp &) const = default;
};
struct Pass {
  std::vector<PointOp> before;
  std::vector<StencilOp> stencils;
  bool operator==(const Pass &) const = default;
};
using Plan = std::vector<Pass>; // at least one pass

struct Numbers {
  std::vector<std::int32_t> values;
  std::vector<std::uint16_t> tables; // full scale + 1 entries each
};

// How a work-group does a tile.
struct Shape {
  // items: work-items side by side, tiles in local memory (GPUs). rows: one work-item that runs along rows of
  // planes, which compilers for processors turn into vector instructions.
  bool rows;
  int local_x, local_y;
  int tile_width, tile_height;
  std::string name() const; // "items 32x8, tile 32x16"
  bool operator==(const Shape &) const = default;
};

// What decides where one kernel ends and the next begins: a pass more costs `round_trip`, a pass's halo what
// is computed twice. In milliseconds of a device (costs.h), or in the unit that plan.cpp gives.
struct Costs {
  double round_trip =
      7; // between what two sharpen (10) and two gaussian stages (5) tell, measured as plan.cpp says
  std::size_t local_bytes; // a tile and its halo must fit
  // What each stencil takes beyond a pass that only copies; empty: what plan.cpp takes for it.
  std::vector<double> stencils{};
};

// All stages in one pass, as operations with their numbers in order; for bgra the numbers of matrices are
// swapped, so that the code does not depend on the order of the channels. On gray8, where they change
// nothing, matrices are left out.
struct Operations {
  Pass all;
  Numbers numbers;
};
Operations operations_of(const Chain &, PixelFormat);

// Cuts a pass into passes where that costs least.
Plan split(const Pass &, const Shape &, const Costs &, PixelFormat);
// One pass for each stencil: as the stages one by one, for comparison.
Plan split_all(const Pass &);

// The tiles that a work-group of a pass holds: regions before and after a stencil take turns in two, and sums
// of half a separable stencil are in a third. Counts of values of one plane.
struct Tiles {
  std::size_t values[2], sums;
};
Tiles tiles_of(const Pass &, const Shape &);
std::size_t tile_bytes(const Pass &, const Shape &, PixelFormat);

// `wanted`, when each stencil by itself fits into `local_bytes` of local memory in it, else the first of
// `others` of which that holds, else `wanted`. Rows are in memory that does not end so soon.
Shape fitting(const Shape &wanted, std::span<const Shape> others, const Pass &, std::size_t local_bytes,
              PixelFormat);

// OpenCL C of all passes, kernels pass0, pass1, ...; filter.cl, before it, knows the bits of a sample.
std::string generate(const Plan &, const Shape &, bool colour);

} // namespace vigil::filter
