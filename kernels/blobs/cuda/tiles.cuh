// SPDX-License-Identifier: LGPL-2.1-or-later
// Which pixels are one component: in tiles of 128x64 pixels, in the memory that a block shares, then over
// their borders.
#pragma once

#include "common/cuda/bytes.h"
#include "kernels/blobs/cuda/runs.cuh"

namespace vigil::blobs {

inline constexpr int tile_words = 4, tile_rows = 64; // a thread for each word
// A tile's own numbers of runs: [row][word][x / 2]. The odd pitch puts the same place of different rows into
// different banks.
inline constexpr int tile_pitch = tile_words * 16 + 1;
struct Tile {
  std::uint32_t bits[tile_words][tile_rows];
  std::uint32_t parent[tile_pitch * tile_rows];
};

// 32 pixels of a row as bits; 0 outside of the picture.
__device__ inline std::uint32_t load_word(Plane<const std::uint8_t> mask, int word, int y) {
  std::uint32_t bits = 0;
  if (y >= mask.height) return 0;
#pragma unroll
  for (int half = 0; half < 2; half++) {
    const int x = word * 32 + half * 16;
    const Bytes<16> m = x < mask.width ? load<16>(mask.row(y) + x, mask.width - x) : Bytes<16>{};
#pragma unroll
    for (int i = 0; i < 4; i++) bits |= bits_of_tops(tops_full(m.word[i])) << (16 * half + 4 * i);
  }
  return bits;
}

// Words around a run: the one above its own, and those beside that one.
struct Around {
  std::uint32_t above, above_left, above_right;
};
// Calls found(columns, bit) for each run that run `r` touches in the row above: `columns` is -1, 0, 1 for the
// word, `bit` one of the run's pixels. From left to right.
template <class Found>
__device__ void each_above(const Run &r, const Around &a, bool eight, Found found) {
  // A corner counts only where no neighbour that shares an edge leads there as well.
  if (eight && r.first == 0 && a.above_left >> 31 && !(a.above & 1)) found(-1, 31);
  for (std::uint32_t touch = a.above & (eight ? r.bits | r.bits << 1 | r.bits >> 1 : r.bits); touch;) {
    const int bit = __ffs(int(touch)) - 1;
    found(0, bit);
    const std::uint32_t gap = ~a.above & (all_lanes << bit); // on to the next run above
    if (!gap) break;
    touch &= all_lanes << (__ffs(int(gap)) - 1);
  }
  if (eight && r.end == 32 && a.above_right & 1 && !(a.above >> 31)) found(1, 0);
}

__device__ inline int tiles_across(const Work &w) {
  return (w.words + tile_words - 1) / tile_words;
}
__device__ inline int tiles_of(const Work &w) {
  return tiles_across(w) * ((w.height + tile_rows - 1) / tile_rows);
}

// Bits, and the components of one tile by itself. The whole block calls it; `shared` is its own.
__device__ inline void unite_tile(const Work &w, Plane<const std::uint8_t> mask, bool eight, int tile,
                                  Tile &shared) {
  auto &bits = shared.bits;
  std::uint32_t *const parent = shared.parent;
  const int left = tile % tiles_across(w) * tile_words,
            top = tile / tiles_across(w) * tile_rows; // words, rows
  const int row = threadIdx.x % tile_rows, column = threadIdx.x / tile_rows;
  const int y = top + row, word = left + column;
  const bool inside = y < w.height && word < w.words;
  const std::uint32_t own = inside ? load_word(mask, word, y) : 0;
  bits[column][row] = own;
  if (inside) w.bits[word * w.height + y] = own;
  __syncthreads();

  Around around{};
  if (row > 0) {
    around.above = bits[column][row - 1];
    if (column > 0) around.above_left = bits[column - 1][row - 1];
    if (column + 1 < tile_words) around.above_right = bits[column + 1][row - 1];
  }
  const auto number = [&](int r, int c, int bit) {
    return std::uint32_t(r * tile_pitch + c * 16 + start_of(bits[c][r], bit) / 2);
  };
  // A run hangs at the first one that it touches above, without an exchange: nobody else writes there yet.
  for (std::uint32_t rest = own; rest;) {
    const Run r = first_run(rest);
    rest &= ~r.bits;
    const std::uint32_t self = number(row, column, r.first);
    std::uint32_t first = self;
    each_above(r, around, eight, [&](int side, int bit) {
      if (first == self) first = number(row - 1, column + side, bit);
    });
    parent[self] = first;
  }
  __syncthreads();
  // Chains of as many links as the tile has rows become short ones. Others shorten theirs at the same time:
  // what is read may be old, but leads to the root.
  for (int links = 1; links < tile_rows; links *= 4) {
    for (std::uint32_t rest = own; rest;) {
      const Run r = first_run(rest);
      rest &= ~r.bits;
      const std::uint32_t self = number(row, column, r.first);
      const volatile std::uint32_t *const up = parent;
      atomicMin(parent + self, up[up[up[up[self]]]]);
    }
    __syncthreads();
  }
  for (std::uint32_t rest = own; rest;) {
    const Run r = first_run(rest);
    rest &= ~r.bits;
    const std::uint32_t self = number(row, column, r.first);
    bool first = true;
    each_above(r, around, eight, [&](int side, int bit) {
      if (!first) unite(parent, self, number(row - 1, column + side, bit));
      first = false;
    });
    if (r.first == 0 && column > 0 && bits[column - 1][row] >> 31)
      unite(parent, self, number(row, column - 1, 31));
  }
  __syncthreads();
  const std::uint32_t corner = std::uint32_t(top) * w.pitch() + std::uint32_t(left) * 16;
  for (std::uint32_t rest = own; rest;) {
    const Run r = first_run(rest);
    rest &= ~r.bits;
    const std::uint32_t self = number(row, column, r.first), root = root_of(parent, self);
    const std::uint32_t global = corner + std::uint32_t(row) * w.pitch() + self % tile_pitch;
    w.parent[global] = corner + root / tile_pitch * w.pitch() + root % tile_pitch;
    if (root == self) w.value[global] = 0;
  }
  __syncthreads(); // before the next tile
}

// The word `column` of row y, 0 outside of the picture.
__device__ inline std::uint32_t word_at(const Work &w, int column, int y) {
  return column >= 0 && column < w.words ? w.bits[column * w.height + y] : 0;
}
__device__ inline std::uint32_t number_at(const Work &w, int column, int y, int bit) {
  return std::uint32_t(y) * w.pitch() +
         std::uint32_t(column * 16 + start_of(w.bits[column * w.height + y], bit) / 2);
}

// Places where tiles touch: words of their first rows, and rows of their first words.
struct Borders {
  int below, beside;
};
__device__ inline Borders borders_of(const Work &w) {
  return {(w.height - 1) / tile_rows * w.words, (w.words - 1) / tile_words * w.height};
}
// In lanes that `want` it, the runs a and b become one component. Where the lane before asks for the same two
// trees, it is left to that one: along a border most lanes do. The whole warp calls it.
__device__ inline void unite_once(const Work &w, bool want, std::uint32_t a, std::uint32_t b) {
  if (want) {
    a = w.parent[a];
    b = w.parent[b];
  } else {
    a = b = ~0u;
  }
  const std::uint32_t a_before = __shfl_up_sync(all_lanes, a, 1), b_before = __shfl_up_sync(all_lanes, b, 1);
  const bool same = threadIdx.x % lanes > 0 && a == a_before && b == b_before;
  if (want && !same) unite(w.parent, a, b);
}
// What touches in place i of `below`: a word of a tile's first row, and the row above.
__device__ inline void unite_below(const Work &w, bool eight, const Borders &borders, int i) {
  std::uint32_t a = 0, b = 0;
  bool some = false;
  if (i < borders.below) {
    const int y = (i / w.words + 1) * tile_rows, column = i % w.words;
    const Around around{word_at(w, column, y - 1), word_at(w, column - 1, y - 1),
                        word_at(w, column + 1, y - 1)};
    for (std::uint32_t left = word_at(w, column, y); left;) {
      const Run r = first_run(left);
      left &= ~r.bits;
      each_above(r, around, eight, [&](int side, int bit) {
        if (some) unite(w.parent, a, b);
        a = number_at(w, column, y, r.first);
        b = number_at(w, column + side, y - 1, bit);
        some = true;
      });
    }
  }
  unite_once(w, some, a, b);
}
// The same for place i of those beside each other: a row of a tile's first word, and the word to its left.
__device__ inline void unite_beside(const Work &w, bool eight, const Borders &borders, int i) {
  const bool inside = i < borders.beside;
  const int y = inside ? i % w.height : 0, column = (inside ? i / w.height + 1 : 0) * tile_words;
  const bool own = inside && word_at(w, column, y) & 1, before = inside && word_at(w, column - 1, y) >> 31;
  const bool straight = own && before;
  unite_once(w, straight, straight ? number_at(w, column, y, 0) : 0,
             straight ? number_at(w, column - 1, y, 31) : 0);
  if (!eight || y == 0 || own == before) return;
  const bool above = word_at(w, column, y - 1) & 1, above_before = word_at(w, column - 1, y - 1) >> 31;
  if (own && above_before && !above)
    unite(w.parent, number_at(w, column, y, 0), number_at(w, column - 1, y - 1, 31));
  if (before && above && !above_before)
    unite(w.parent, number_at(w, column - 1, y, 31), number_at(w, column, y - 1, 0));
}
// The same component on both sides of a border of tiles becomes one. `first`: the thread's number among
// `threads`, which are whole warps.
__device__ inline void unite_borders(const Work &w, bool eight, int first, int threads) {
  const Borders borders = borders_of(w);
  const int lane = first % lanes;
  for (int at = first - lane; at < borders.below; at += threads) unite_below(w, eight, borders, at + lane);
  for (int at = first - lane; at < borders.beside; at += threads) unite_beside(w, eight, borders, at + lane);
}

} // namespace vigil::blobs
