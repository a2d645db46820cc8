// SPDX-License-Identifier: LGPL-2.1-or-later
// Which runs are one component: in tiles of 128 columns and 16 lines, in the memory that a block shares, then
// over their borders.
#pragma once

#include "common/cuda/bytes.h"
#include "kernels/blobs/cuda/runs.cuh"

namespace vigil::blobs {

inline constexpr int tile_words = 4, tile_lines = 16; // a thread for each part of a word
// A tile's own numbers of runs: [line][word][x / 2]. The odd pitch puts the same place of different lines
// into different banks.
inline constexpr int tile_pitch = tile_words * 16 + 1;
struct Tile {
  Rows rows[tile_words][tile_lines];
  std::uint32_t parent[tile_pitch * tile_lines];
};

// Eight pixels of a row as bits; 0 outside of the picture. Adds those that are neither 0 nor 255 to
// `between`.
__device__ inline std::uint8_t load_part(Plane<const std::uint8_t> mask, int x, int y,
                                         std::uint32_t &between) {
  if (x >= mask.width || y >= mask.height) return 0;
  const Bytes<8> m = load<8>(mask.row(y) + x, mask.width - x);
  const std::uint32_t first = tops_full(m.word[0]), second = tops_full(m.word[1]);
  between += std::uint32_t(__popc((tops_some(m.word[0]) ^ first) | (tops_some(m.word[1]) ^ second) >> 1));
  return static_cast<std::uint8_t>(bits_of_tops(first) | bits_of_tops(second) << 4);
}

// Words around a run: the one above its own, and those left and right of that one.
struct Around {
  Rows above, above_left, above_right;
};
// Calls found(columns, bit) for each run of the line above that run `r` of the word `own` touches: `columns`
// is -1, 0, 1 for the word, `bit` one of the run's columns. From left to right.
template <int rows, class Found>
__device__ void each_above(const Run &r, const Rows &own, const Around &a, Found found) {
  constexpr bool eight = rows == 2;
  const std::uint32_t from = own.top & r.bits, above = a.above.bottom;
  // A corner counts only where no neighbour that shares an edge leads there as well.
  if (eight && from & 1 && a.above_left.bottom >> 31 && !(above & 1)) found(-1, 31);
  for (std::uint32_t touch = above & (eight ? from | from << 1 | from >> 1 : from); touch;) {
    const int bit = __ffs(int(touch)) - 1;
    found(0, bit);
    const std::uint32_t gap = ~a.above.any() & (all_lanes << bit); // on to the next run above
    if (!gap) break;
    touch &= all_lanes << (__ffs(int(gap)) - 1);
  }
  if (eight && from >> 31 && a.above_right.bottom & 1 && !(above >> 31)) found(1, 0);
}

__host__ __device__ inline int tiles_across(const Work &w) {
  return (w.words + tile_words - 1) / tile_words;
}
template <int rows>
__host__ __device__ inline int tiles_of(const Work &w) {
  return tiles_across(w) * ((w.height + tile_lines * rows - 1) / (tile_lines * rows));
}

// Bits, and the components of one tile by itself. The whole block calls it; `shared` is its own. `between`:
// as in load_part().
template <int rows>
__device__ inline void unite_tile(const Work &w, Plane<const std::uint8_t> mask, int tile, Tile &shared,
                                  std::uint32_t &between) {
  auto &bits = shared.rows;
  std::uint32_t *const parent = shared.parent;
  const int left = tile % tiles_across(w) * tile_words,
            top = tile / tiles_across(w) * tile_lines; // words, lines
  const int thread = int(threadIdx.x), part = thread % parts, column = thread / parts % tile_words,
            line = thread / (parts * tile_words);
  {
    const int x = (left + column) * 32 + part * 8, y = (top + line) * rows;
    Rows &to = bits[column][line];
    const std::uint8_t first = load_part(mask, x, y, between);
    reinterpret_cast<std::uint8_t *>(&to.top)[part] = first;
    reinterpret_cast<std::uint8_t *>(&to.bottom)[part] =
        rows == 2 ? load_part(mask, x, y + 1, between) : first;
  }
  __syncthreads();
  if (thread < tile_words * tile_lines) {
    const int word = left + thread / tile_lines, at = top + thread % tile_lines;
    const Rows v = bits[thread / tile_lines][thread % tile_lines];
    if (word < w.words && at < lines_of<rows>(w)) {
      std::uint32_t *const to = w.bits + word * w.stride() + at * rows;
      if constexpr (rows == 2)
        *reinterpret_cast<uint2 *>(to) = make_uint2(v.top, v.bottom);
      else
        *to = v.top;
    }
  }

  const Rows own = bits[column][line];
  const std::uint32_t word = own.any(), begins = begins_in(word, part);
  Around around{};
  if (line > 0) {
    around.above = bits[column][line - 1];
    if (column > 0) around.above_left = bits[column - 1][line - 1];
    if (column + 1 < tile_words) around.above_right = bits[column + 1][line - 1];
  }
  const std::uint32_t base = std::uint32_t(line * tile_pitch + column * 16);
  const auto number = [&](int l, int c, int bit) {
    return std::uint32_t(l * tile_pitch + c * 16 + start_of(bits[c][l].any(), bit) / 2);
  };
  const auto each_run = [&](auto &&work) {
    for (std::uint32_t rest = begins; rest; rest &= rest - 1) {
      const int first = __ffs(int(rest)) - 1;
      work(first, base + std::uint32_t(first / 2));
    }
  };
  // A run hangs at the first one that it touches above, without an exchange: nobody else writes there yet.
  each_run([&](int at, std::uint32_t self) {
    std::uint32_t first = self;
    each_above<rows>(run_at(word, at), own, around, [&](int side, int bit) {
      if (first == self) first = number(line - 1, column + side, bit);
    });
    parent[self] = first;
  });
  __syncthreads();
  // Chains of as many links as the tile has lines become short ones. Others shorten theirs at the same time:
  // what is read may be old, but leads to the root.
  for (int links = 1; links < tile_lines; links *= 4) {
    each_run([&](int, std::uint32_t self) {
      const volatile std::uint32_t *const up = parent;
      atomicMin(parent + self, up[up[up[up[self]]]]);
    });
    __syncthreads();
  }
  each_run([&](int at, std::uint32_t self) {
    bool first = true;
    each_above<rows>(run_at(word, at), own, around, [&](int side, int bit) {
      if (!first) unite(parent, self, number(line - 1, column + side, bit));
      first = false;
    });
    if (at == 0 && column > 0 && bits[column - 1][line].any() >> 31)
      unite(parent, self, number(line, column - 1, 31));
  });
  __syncthreads();
  const std::uint32_t corner = std::uint32_t(top) * w.pitch() + std::uint32_t(left) * 16;
  each_run([&](int, std::uint32_t self) {
    const std::uint32_t root = root_of(parent, self);
    const std::uint32_t global = corner + std::uint32_t(line) * w.pitch() + self % tile_pitch;
    w.parent[global] = corner + root / tile_pitch * w.pitch() + root % tile_pitch;
    if (root == self) w.value[global] = 0;
  });
  __syncthreads(); // before the next tile
}

// The word `column` of a line, 0 outside of the picture.
template <int rows>
__device__ inline Rows word_at(const Work &w, int column, int line) {
  return column >= 0 && column < w.words ? rows_at<rows>(w, column, line) : Rows{0, 0};
}
// The run that holds column `bit` of a word.
__device__ inline std::uint32_t number_in(const Work &w, const Rows &word, int column, int line, int bit) {
  return std::uint32_t(line) * w.pitch() + std::uint32_t(column * 16 + start_of(word.any(), bit) / 2);
}

// Places where tiles touch: pairs of columns of words of their first lines, and lines of their first words.
struct Borders {
  int below, adjacent;
};
inline constexpr int pairs = 16; // of columns in a word: one run at most begins in each
template <int rows>
__device__ inline Borders borders_of(const Work &w) {
  const int lines = lines_of<rows>(w);
  return {(lines - 1) / tile_lines * pairs * w.words, (w.words - 1) / tile_words * lines};
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
// What touches in place i of `below`: the run that begins in a pair of columns of a tile's first line, and
// the line above.
template <int rows>
__device__ inline void unite_below(const Work &w, const Borders &borders, int i) {
  std::uint32_t a = 0, b = 0;
  bool some = false;
  if (i < borders.below) {
    const int column = i % w.words, pair = i / w.words % pairs, line = (i / w.words / pairs + 1) * tile_lines;
    const Rows own = word_at<rows>(w, column, line);
    const std::uint32_t begin = own.top ? own.any() & ~(own.any() << 1) & (3u << 2 * pair) : 0;
    if (begin != 0) {
      const Around around{word_at<rows>(w, column, line - 1), word_at<rows>(w, column - 1, line - 1),
                          word_at<rows>(w, column + 1, line - 1)};
      const Run r = run_at(own.any(), __ffs(int(begin)) - 1);
      each_above<rows>(r, own, around, [&](int side, int bit) {
        if (some) unite(w.parent, a, b);
        const Rows &there = side < 0 ? around.above_left : side > 0 ? around.above_right : around.above;
        a = number_in(w, own, column, line, r.first);
        b = number_in(w, there, column + side, line - 1, bit);
        some = true;
      });
    }
  }
  unite_once(w, some, a, b);
}
// The same for place i of those next to each other: a line of a tile's first word, and the word to its left.
template <int rows>
__device__ inline void unite_beside(const Work &w, const Borders &borders, int i) {
  const bool inside = i < borders.adjacent;
  const int lines = lines_of<rows>(w), line = inside ? i % lines : 0,
            column = inside ? (i / lines + 1) * tile_words : 0;
  Rows own{0, 0}, before{0, 0};
  if (inside) {
    own = rows_at<rows>(w, column, line);
    before = rows_at<rows>(w, column - 1, line);
  }
  const bool straight = own.any() & 1 && before.any() >> 31;
  unite_once(w, straight, straight ? number_in(w, own, column, line, 0) : 0,
             straight ? number_in(w, before, column - 1, line, 31) : 0);
  // Corners, where a neighbour that shares an edge does not lead there as well.
  const bool right = own.top & 1, left = before.top >> 31;
  if (rows == 1 || line == 0 || right == left) return;
  const Rows above = rows_at<rows>(w, column, line - 1),
             above_before = rows_at<rows>(w, column - 1, line - 1);
  const bool right_above = above.bottom & 1, left_above = above_before.bottom >> 31;
  if (right && left_above && !right_above)
    unite(w.parent, number_in(w, own, column, line, 0), number_in(w, above_before, column - 1, line - 1, 31));
  if (left && right_above && !left_above)
    unite(w.parent, number_in(w, before, column - 1, line, 31), number_in(w, above, column, line - 1, 0));
}
// The same component on both sides of a border of tiles becomes one. The places are spread over all blocks,
// a warp of each first: there are fewer of them than threads, and each waits for memory.
template <int rows>
__device__ inline void unite_borders(const Work &w) {
  const Borders borders = borders_of<rows>(w);
  const int lane = int(threadIdx.x) % lanes, below = (borders.below + lanes - 1) / lanes * lanes;
  const int first = (int(threadIdx.x) / lanes * int(gridDim.x) + int(blockIdx.x)) * lanes;
  for (int at = first; at < below + borders.adjacent; at += int(gridDim.x * blockDim.x))
    if (at < below)
      unite_below<rows>(w, borders, at + lane);
    else
      unite_beside<rows>(w, borders, at - below + lane);
}

} // namespace vigil::blobs
