// SPDX-License-Identifier: LGPL-2.1-or-later
// Clean-up in two kernels, because the mask is changed in place: the first turns it into one bit a pixel and
// takes the median, the second does all the morphology on the bits and writes the mask. A third restores
// small objects.
//
// A tile is 32 words of 32 pixels, one for each lane of a warp, by `tile_rows` rows. It is loaded with a
// margin as wide as the steps reach; what a step makes of pixels near the tile's edge is wrong by its radius,
// and the margin takes that up. So a step needs no more of its neighbour words than the neighbouring lanes
// have.
#include "common/cuda/bytes.h"
#include "common/cuda/launch.h"
#include "kernels/cleanup/cleanup.h"
#include "kernels/cleanup/cuda/kernels.h"

#include <algorithm>

namespace vigil::cleanup {
namespace {

constexpr int lanes = 32;
constexpr int warps = 16;
constexpr int tile_rows = 16;
constexpr unsigned all_lanes = 0xffffffffu;

// The pixels of word `word` of a row that are in the picture, as bits.
__device__ std::uint32_t inside_bits(int word, int width) {
  const int left = width - word * 32;
  if (word < 0 || left <= 0) return 0;
  return left >= 32 ? ~0u : (1u << left) - 1;
}

// F before any step, one word of it; 0 outside the picture.
__device__ std::uint32_t load_word(Plane<const std::uint8_t> mask, Plane<const std::uint8_t> watch, int word,
                                   int y) {
  const int x = word * 32, left = mask.width - x;
  if (word < 0 || left <= 0 || y < 0 || y >= mask.height) return 0;
  std::uint32_t bits = 0;
#pragma unroll
  for (int half = 0; half < 2; half++) {
    const int at = x + 16 * half, count = left - 16 * half;
    if (count <= 0) break;
    const Bytes<16> m = load<16>(mask.row(y) + at, count);
    std::uint32_t tops[4];
#pragma unroll
    for (int i = 0; i < 4; i++) tops[i] = tops_full(m.word[i]);
    if (watch.data) {
      const Bytes<16> w = load<16>(watch.row(y) + at, count);
#pragma unroll
      for (int i = 0; i < 4; i++) tops[i] &= tops_some(w.word[i]);
    }
#pragma unroll
    for (int i = 0; i < 4; i++) bits |= bits_of_tops(tops[i]) << (16 * half + 4 * i);
  }
  return bits;
}

// Counts are held bit by bit: plane k is a word with bit k of the counts of its pixels. In the sums a pixel
// of F counts 2 and one outside the picture 1, so "more than half of those inside" is the same number for
// every pixel: more than (2r+1)^2.
constexpr int sum_planes = 6;    // of a column: at most 2 * 31
constexpr int total_planes = 11; // of a window: at most 2 * 31^2

__device__ std::uint32_t majority(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  return (a & b) | (c & (a ^ b));
}

// The column sums of rows top..bottom of the tile, and `outside` rows that the picture does not have.
__device__ void column_sums(std::uint32_t (&sum)[sum_planes], const std::uint32_t *column, int top,
                            int bottom, int outside) {
#pragma unroll
  for (int k = 0; k < sum_planes; k++) sum[k] = outside >> k & 1 ? ~0u : 0;
  for (int i = top; i <= bottom; i += 2) {
    const std::uint32_t a = column[i * lanes], b = i < bottom ? column[(i + 1) * lanes] : 0;
    std::uint32_t carry = majority(a, b, sum[1]);
    sum[1] ^= a ^ b;
#pragma unroll
    for (int k = 2; k < sum_planes; k++) {
      const std::uint32_t next = sum[k] & carry;
      sum[k] ^= carry;
      carry = next;
    }
  }
}

// to += by >> shift
template <int planes>
__device__ void accumulate(std::uint64_t (&to)[total_planes], const std::uint64_t (&by)[total_planes],
                           int shift) {
  std::uint64_t carry = 0;
#pragma unroll
  for (int k = 0; k < total_planes; k++) {
    if (k > planes) break;
    const std::uint64_t a = to[k], b = k < planes ? by[k] >> shift : 0, differ = a ^ b;
    to[k] = differ ^ carry;
    carry = (a & b) | (differ & carry);
  }
}

// `s` holds the sums of 2^level columns, starting at each pixel; `total` those of the `done` columns that the
// lower bits of m ask for.
template <int level>
__device__ void sum_columns(std::uint64_t (&s)[total_planes], std::uint64_t (&total)[total_planes], int m,
                            int done) {
  constexpr int planes = sum_planes + level;
  if (level > 0 && (m >> level & 1)) {
    accumulate<planes>(total, s, done);
    done += 1 << level;
  }
  if constexpr (level < 4) {
    if (m >> (level + 1) == 0) return;
    std::uint64_t copy[total_planes];
#pragma unroll
    for (int k = 0; k < total_planes; k++) copy[k] = s[k];
    accumulate<planes>(s, copy, 1 << level);
    sum_columns<level + 1>(s, total, m, done);
  }
}

// One word of the median. `column` is the lane's column of the tile, whose row 0 is row `first` of the
// picture.
__device__ std::uint32_t median_word(const std::uint32_t *column, int first, int y, int height, int r,
                                     std::uint32_t inside) {
  const int m = 2 * r + 1;
  const int top = max(y - r, 0), bottom = min(y + r, height - 1);
  std::uint32_t sum[sum_planes];
  column_sums(sum, column, top - first, bottom - first, m - (bottom - top + 1));
  std::uint64_t s[total_planes] = {}, total[total_planes];
#pragma unroll
  for (int k = 0; k < sum_planes; k++) {
    const std::uint32_t own = (sum[k] & inside) | (m >> k & 1 ? ~inside : 0); // columns outside count m
    const std::uint32_t before = __shfl_up_sync(all_lanes, own, 1);
    const std::uint32_t behind = __shfl_down_sync(all_lanes, own, 1);
    // 64 columns from r before the word's first pixel on
    s[k] = std::uint64_t{__funnelshift_r(own, behind, 32 - r)} << 32 | __funnelshift_r(before, own, 32 - r);
  }
#pragma unroll
  for (int k = 0; k < total_planes; k++) total[k] = s[k];
  sum_columns<0>(s, total, m, 1);
  // total > m*m when total + (2^11 - 1 - m*m) carries out of the 11 planes
  const int rest = (1 << total_planes) - 1 - m * m;
  std::uint32_t carry = 0;
#pragma unroll
  for (int k = 0; k < total_planes; k++) {
    const auto t = static_cast<std::uint32_t>(total[k]);
    carry = rest >> k & 1 ? carry | t : carry & t;
  }
  return carry & inside;
}

__global__ void __launch_bounds__(lanes *warps)
    pack_kernel(Plane<const std::uint8_t> mask, Plane<const std::uint8_t> watch, int r, int words,
                std::uint32_t *bits, SmallSets small) {
  extern __shared__ std::uint32_t tile[];
  const int lane = threadIdx.x, warp = threadIdx.y;
  const int reach = small.now ? max(r, 1) : r;
  const int margin = reach > 0 ? 1 : 0, columns = lanes - 2 * margin;
  const int word = blockIdx.x * columns + lane - margin;
  const int own = blockIdx.y * tile_rows, first = own - reach;
  wait_for_earlier();
  begin_next();
  if (small.now) { // nothing is seen yet
    const int blocks = gridDim.x * gridDim.y, block = blockIdx.y * gridDim.x + blockIdx.x;
    for (int cell = block * lanes * warps + warp * lanes + lane; cell < small.cells;
         cell += blocks * lanes * warps)
      small.seen[cell] = 0;
  }
  for (int i = warp; i < tile_rows + 2 * reach; i += warps)
    tile[i * lanes + lane] = load_word(mask, watch, word, first + i);
  __syncthreads();
  const std::uint32_t inside = inside_bits(word, mask.width);
  const bool writes = lane >= margin && lane < lanes - margin && word < words;
  for (int y = own + warp; y < min(own + tile_rows, mask.height); y += warps) {
    const std::uint32_t v =
        r > 0 ? median_word(tile + lane, first, y, mask.height, r, inside) : tile[(y - first) * lanes + lane];
    const std::size_t at = static_cast<std::size_t>(y) * words + word;
    if (small.now) {
      const std::uint32_t s = median_word(tile + lane, first, y, mask.height, 1, inside);
      if (writes) small.now[at] = s;
    }
    if (writes) bits[at] = v;
  }
}

// The dilation of a word in its row by r <= 32 pixels to either side.
__device__ std::uint32_t dilate_row(std::uint32_t own, int r) {
  const std::uint32_t before = __shfl_up_sync(all_lanes, own, 1);
  const std::uint32_t behind = __shfl_down_sync(all_lanes, own, 1);
  std::uint64_t right = std::uint64_t{behind} << 32 | own, left = std::uint64_t{own} << 32 | before;
  int covered = 1; // shifts 0..covered-1 are in `right` and `left`
  for (; covered * 2 <= r + 1; covered *= 2) {
    right |= right >> covered;
    left |= left << covered;
  }
  right |= right >> (r + 1 - covered);
  left |= left << (r + 1 - covered);
  return static_cast<std::uint32_t>(right) | static_cast<std::uint32_t>(left >> 32);
}

// A tile between two steps: rows from..to-1 are right.
struct Tile {
  std::uint32_t *now, *next;
  int from, to;
  int first, height; // tile row 0 is row `first` of the picture
  std::uint32_t inside;

  // Dilation by r, or erosion as the dilation of the complement.
  __device__ void step(bool erode, int r) {
    if (r == 0) return;
    const std::uint32_t flip = erode ? ~0u : 0;
    const int top = max(0, -first), bottom = min(to, height - first); // the picture's rows
    from += r;
    to -= r;
    for (int i = max(from, top) + int(threadIdx.y); i < min(to, bottom); i += warps) {
      std::uint32_t v = 0;
      for (int j = max(i - r, top); j < min(i + r + 1, bottom); j++) v |= now[j * lanes + threadIdx.x] ^ flip;
      next[i * lanes + threadIdx.x] = dilate_row(v & inside, r) ^ flip;
    }
    __syncthreads();
    std::uint32_t *const done = next;
    next = now;
    now = done;
  }
};

// One word of D3 of a set in the device's memory. All lanes of a warp have words of one row.
__device__ std::uint32_t dilated_word(const std::uint32_t *set, int word, int words, int y, int height) {
  std::uint32_t v = 0;
  if (word >= 0 && word < words)
    for (int row = max(y - small_reach, 0); row <= min(y + small_reach, height - 1); row++)
      v |= set[static_cast<std::size_t>(row) * words + word];
  return dilate_row(v, small_reach);
}

// Finds the small objects in a word of row y: marks the cells where they are seen, returns K. All lanes of a
// warp call it, with words of one row; `r` holds R.
__device__ std::uint32_t find_small(const SmallSets &small, const Tile &r, int word, int words, int y,
                                    bool writes) {
  const bool there = word >= 0 && word < words;
  std::uint32_t c = there ? small.now[static_cast<std::size_t>(y) * words + word] : 0;
  if (!__any_sync(all_lanes, c != 0)) return 0;
  c &= dilated_word(small.one_before, word, words, y, r.height);
  c &= dilated_word(small.two_before, word, words, y, r.height);
  std::uint32_t near = 0;
  for (int row = max(y - small_reach, 0); row <= min(y + small_reach, r.height - 1); row++)
    near |= r.now[(row - r.first) * lanes + threadIdx.x];
  near = dilate_row(near & r.inside, small_reach);
  if (c == 0 || !writes) return 0;
  const int size = min(small.cell_size, 32); // of a cell's part in this word
  const std::uint32_t one = size == 32 ? ~0u : (1u << size) - 1;
  std::uint32_t kept = 0;
  for (int x = 0; x < 32; x += size) {
    const std::uint32_t pixels = c & (one << x);
    if (pixels == 0) continue;
    const int cell = y / small.cell_size * small.columns + (32 * word + x) / small.cell_size;
    if (pixels & ~near) small.seen[cell] = 1;
    const auto keep = small.allowed ? KeepSmall(small.allowed[cell]) : KeepSmall::none;
    if (keep != KeepSmall::none) kept |= keep == KeepSmall::all ? pixels : pixels & near;
  }
  return kept;
}

// Three blocks at once: for four the compiler would spill registers.
// Blocks of a multiprocessor at a time, for which registers are shared out.
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ == 750
constexpr int resident_blocks = 2; // it holds 1024 threads
#else
constexpr int resident_blocks = 3;
#endif
__global__ void __launch_bounds__(lanes *warps, resident_blocks)
    morphology_kernel(const std::uint32_t *bits, int words, int open, int close, SmallSets small,
                      Plane<std::uint8_t> mask, Plane<const std::uint8_t> watch) {
  extern __shared__ std::uint32_t tile[];
  const int lane = threadIdx.x, warp = threadIdx.y;
  const int reach = 2 * (open + close) + (small.now ? small_reach : 0), margin = (reach + 31) / 32,
            columns = lanes - 2 * margin;
  const int word = blockIdx.x * columns + lane - margin;
  const int own = blockIdx.y * tile_rows, rows = tile_rows + 2 * reach;
  wait_for_earlier();
  begin_next();
  Tile t{tile, tile + rows * lanes, 0, rows, own - reach, mask.height, inside_bits(word, mask.width)};
  for (int i = warp; i < rows; i += warps) {
    const int y = t.first + i;
    const bool there = y >= 0 && y < mask.height && word >= 0 && word < words;
    t.now[i * lanes + lane] = there ? bits[static_cast<std::size_t>(y) * words + word] : 0;
  }
  __syncthreads();
  t.step(true, open);
  t.step(false, open + close); // dilations in a row add up, in a rectangle also at its borders
  t.step(true, close);
  const bool writes = lane >= margin && lane < lanes - margin && word < words;
  const int x = word * 32;
  for (int y = own + warp; y < min(own + tile_rows, mask.height); y += warps) {
    const std::uint32_t f = t.now[(y - t.first) * lanes + lane];
    if (small.now) {
      const std::uint32_t kept = find_small(small, t, word, words, y, writes);
      if (small.kept && writes) small.kept[static_cast<std::size_t>(y) * words + word] = kept;
    }
    if (!writes) continue;
#pragma unroll
    for (int half = 0; half < 2; half++) {
      const int at = x + 16 * half, count = mask.width - at;
      if (count <= 0) break;
      Bytes<16> m = load<16>(mask.row(y) + at, count);
#pragma unroll
      for (int i = 0; i < 4; i++)
        m.word[i] =
            (m.word[i] & ~bytes_of_tops(tops_full(m.word[i]))) | bytes_of_bits(f >> (16 * half + 4 * i));
      if (watch.data) {
        const Bytes<16> w = load<16>(watch.row(y) + at, count);
#pragma unroll
        for (int i = 0; i < 4; i++) m.word[i] &= bytes_of_tops(tops_some(w.word[i]));
      }
      store(mask.row(y) + at, m, count);
    }
  }
}

// The small objects of one word.
constexpr int restore_rows = 8;
__global__ void __launch_bounds__(lanes *restore_rows)
    restore_kernel(Plane<std::uint8_t> mask, Plane<const std::uint8_t> watch, const std::uint32_t *kept,
                   int words) {
  const int word = blockIdx.x * lanes + threadIdx.x, y = blockIdx.y * restore_rows + threadIdx.y;
  wait_for_earlier();
  begin_next();
  if (word >= words || y >= mask.height) return;
  const std::uint32_t k = kept[static_cast<std::size_t>(y) * words + word];
  if (k == 0) return;
#pragma unroll
  for (int half = 0; half < 2; half++) {
    const int at = word * 32 + 16 * half, count = mask.width - at;
    if (count <= 0) break;
    Bytes<16> m = load<16>(mask.row(y) + at, count), w{};
    if (watch.data) w = load<16>(watch.row(y) + at, count);
#pragma unroll
    for (int i = 0; i < 4; i++) {
      const std::uint32_t full = bytes_of_bits(k >> (16 * half + 4 * i));
      m.word[i] |= watch.data ? full & bytes_of_tops(tops_some(w.word[i])) : full;
    }
    store(mask.row(y) + at, m, count);
  }
}

int parts(int whole, int part) {
  return (whole + part - 1) / part;
}
dim3 tiles(int words, int margin, int height) {
  return dim3(parts(words, lanes - 2 * margin), parts(height, tile_rows));
}

} // namespace

void launch_pack(Plane<const std::uint8_t> mask, Plane<const std::uint8_t> watch, int median_radius,
                 std::uint32_t *bits, const SmallSets &small, CUstream_st *stream) {
  const int words = row_words(mask.width), reach = small.now ? std::max(median_radius, 1) : median_radius;
  const std::size_t shared = sizeof(std::uint32_t) * lanes * (tile_rows + 2 * reach);
  launch_early(pack_kernel, tiles(words, reach > 0 ? 1 : 0, mask.height), dim3(lanes, warps), shared, stream,
               mask, watch, median_radius, words, bits, small);
}

void launch_morphology(const std::uint32_t *bits, int open, int close, const SmallSets &small,
                       Plane<std::uint8_t> mask, Plane<const std::uint8_t> watch, CUstream_st *stream) {
  const int words = row_words(mask.width), reach = 2 * (open + close) + (small.now ? small_reach : 0);
  const std::size_t shared = 2 * sizeof(std::uint32_t) * lanes * (tile_rows + 2 * reach);
  launch_early(morphology_kernel, tiles(words, parts(reach, 32), mask.height), dim3(lanes, warps), shared,
               stream, bits, words, open, close, small, mask, watch);
}

void launch_restore(Plane<std::uint8_t> mask, Plane<const std::uint8_t> watch, const std::uint32_t *kept,
                    CUstream_st *stream) {
  const int words = row_words(mask.width);
  launch_early(restore_kernel, dim3(parts(words, lanes), parts(mask.height, restore_rows)),
               dim3(lanes, restore_rows), 0, stream, mask, watch, kept, words);
}

} // namespace vigil::cleanup
