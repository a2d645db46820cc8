// SPDX-License-Identifier: LGPL-2.1-or-later
// The Markov random field, 32 pixels at a time: sums and comparisons digit by digit with the operators of
// logic, as in shaders/field.glsl.
//
// A block has a region of 16 words by 128 rows, a thread one word in four rows that follow each other, in
// registers. Words to the left and right come from neighbouring lanes, those above and below the four rows
// through shared memory. Each substep makes one more pixel at the region's border uncertain, so that after k
// of them the words within, without k rows above and below, are certain: those are written.
#include "kernels/colinearseg/cuda/evidence.cuh"
#include "kernels/colinearseg/cuda/kernels.h"

namespace vigil::colinearseg::cuda {
namespace {

constexpr int columns = 16, region_rows = 128, rows_each = 4, thread_rows = region_rows / rows_each;
constexpr int certain_columns = columns - 2;
constexpr int most_substeps = 4 * iterations_at_once; // no more than the 32 pixels of a word

// A word of a row, with the words of the pixels to its left and to its right.
struct Row {
  std::uint32_t left, here, right;
};
__device__ Row row_of(std::uint32_t before, std::uint32_t word, std::uint32_t after) {
  return {__funnelshift_l(before, word, 1), word, __funnelshift_r(word, after, 1)};
}
// The same from the neighbouring lanes; outside the region it is 0.
__device__ Row row_of(std::uint32_t word) {
  const std::uint32_t before = __shfl_up_sync(all_lanes, word, 1, columns),
                      after = __shfl_down_sync(all_lanes, word, 1, columns);
  const int column = threadIdx.x;
  return row_of(column == 0 ? 0 : before, word, column == columns - 1 ? 0 : after);
}

// a + b + c + d in three digits.
struct Count {
  std::uint32_t one, two, four;
};
__device__ Count count(std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t d) {
  const std::uint32_t ab = a ^ b, cd = c ^ d, carry_ab = a & b, carry_cd = c & d;
  const std::uint32_t carry = ab & cd, either = carry_ab ^ carry_cd;
  return {ab ^ cd, either ^ carry, (carry_ab & carry_cd) | (either & carry)};
}

// 1 where M >= n.
__device__ std::uint32_t changed(const Row &above, const Row &row, const Row &below, const uint4 &n) {
  const Count straight = count(above.here, below.here, row.left, row.right);
  const Count diagonal = count(above.left, above.right, below.left, below.right);
  // M = 2 * straight + diagonal
  const std::uint32_t carry = straight.one & diagonal.two;
  const std::uint32_t m1 = straight.one ^ diagonal.two;
  const std::uint32_t m2 = straight.two ^ diagonal.four ^ carry;
  const std::uint32_t m3 =
      straight.four | (straight.two & diagonal.four) | (carry & (straight.two ^ diagonal.four));
  // the borrow of M - n
  std::uint32_t less = ~diagonal.one & n.x;
  less = (~m1 & n.y) | (~(m1 ^ n.y) & less);
  less = (~m2 & n.z) | (~(m2 ^ n.z) & less);
  less = (~m3 & n.w) | (~(m3 ^ n.w) & less);
  return ~less;
}
// Decides the pixels of `here` again.
__device__ std::uint32_t decided(const Row &above, const Row &row, const Row &below, const uint4 &n,
                                 std::uint32_t here) {
  return (row.here & ~here) | (changed(above, row, below, n) & here);
}

__global__ void __launch_bounds__(columns *thread_rows)
    field_kernel(const std::uint32_t *from, std::uint32_t *to, const uint4 *first, const uint4 *other,
                 int words, int rows, Substeps steps) {
  // The first and the last of each thread's four rows; around them zeros.
  __shared__ std::uint32_t firsts[thread_rows + 1][columns + 2], lasts[thread_rows + 1][columns + 2];
  const int thread = threadIdx.y * columns + threadIdx.x;
  for (int i = thread; i < (thread_rows + 1) * (columns + 2); i += columns * thread_rows)
    (&firsts[0][0])[i] = (&lasts[0][0])[i] = 0;
  const int x = int(blockIdx.x) * certain_columns - 1 + int(threadIdx.x);
  const int y =
      int(blockIdx.y) * (region_rows - 2 * steps.count) - steps.count + int(threadIdx.y) * rows_each;

  std::uint32_t word[rows_each];
  uint4 n[rows_each], next[rows_each];
#pragma unroll
  for (int i = 0; i < rows_each; i++) {
    const bool inside = x >= 0 && x < words && y + i >= 0 && y + i < rows;
    const std::ptrdiff_t at = std::ptrdiff_t(y + i) * words + x;
    word[i] = inside ? from[at] : 0;
    n[i] = next[i] = make_uint4(~0u, ~0u, ~0u, ~0u);
    if (inside && steps.with_first > 0) n[i] = first[at];
    if (inside && steps.count > steps.with_first) next[i] = other[at];
  }
  // Row 0 of `firsts` belongs to thread row 0, row thread_rows is below the last; `lasts` has the one above
  // in row 0.
  std::uint32_t *const my_first = &firsts[threadIdx.y][threadIdx.x + 1];
  std::uint32_t *const my_last = &lasts[threadIdx.y + 1][threadIdx.x + 1];
  const std::uint32_t *const below_me = my_first + (columns + 2), *const above_me = my_last - (columns + 2);
  __syncthreads();
  *my_first = word[0];
  *my_last = word[3];
  __syncthreads();

  // The region begins at an even row: the substeps of an iteration are four.
  for (int s = 0; s < steps.count; s++) {
    if (s == steps.with_first) {
#pragma unroll
      for (int i = 0; i < rows_each; i++) n[i] = next[i];
    }
    const int position = int(steps.positions >> 2 * s) & 3;
    const std::uint32_t here = position & 1 ? 0xaaaaaaaau : 0x55555555u;
    const Row r0 = row_of(word[0]), r1 = row_of(word[1]), r2 = row_of(word[2]), r3 = row_of(word[3]);
    if (position >> 1 == 0) {
      const Row above = row_of(above_me[-1], above_me[0], above_me[1]);
      word[0] = decided(above, r0, r1, n[0], here);
      word[2] = decided(r1, r2, r3, n[2], here);
      *my_first = word[0];
    } else {
      const Row below = row_of(below_me[-1], below_me[0], below_me[1]);
      word[1] = decided(r0, r1, r2, n[1], here);
      word[3] = decided(r2, r3, below, n[3], here);
      *my_last = word[3];
    }
    __syncthreads();
  }

  const bool certain_column = threadIdx.x >= 1 && threadIdx.x <= certain_columns && x < words;
#pragma unroll
  for (int i = 0; i < rows_each; i++) {
    const int row = int(threadIdx.y) * rows_each + i;
    if (certain_column && row >= steps.count && row < region_rows - steps.count && y + i < rows)
      to[std::ptrdiff_t(y + i) * words + x] = word[i];
  }
}

} // namespace

void launch_iterations(const std::uint32_t *from, std::uint32_t *to, const uint4 *first, const uint4 *other,
                       int words, int rows, const Substeps &steps, cudaStream_t stream) {
  static_assert(most_substeps <= 32 && 2 * most_substeps < region_rows);
  const int certain_rows = region_rows - 2 * steps.count;
  const dim3 blocks((words + certain_columns - 1) / certain_columns,
                    (rows + certain_rows - 1) / certain_rows);
  field_kernel<<<blocks, dim3(columns, thread_rows), 0, stream>>>(from, to, first, other, words, rows, steps);
}

} // namespace vigil::colinearseg::cuda
