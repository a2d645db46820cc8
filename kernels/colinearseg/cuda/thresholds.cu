// SPDX-License-Identifier: LGPL-2.1-or-later
// What a frame and the background say about each pixel: the thresholds on M, and samples of D2.
#include "kernels/colinearseg/cuda/evidence.cuh"
#include "kernels/colinearseg/cuda/kernels.h"
#include "kernels/colinearseg/packed.h"

#include <algorithm>

namespace vigil::colinearseg::cuda {
namespace {

constexpr int lanes = 32, warps = 8;
constexpr int rows_each = 8; // of a warp

__device__ std::uint32_t pixel(const Rgba &p, int x, int y) {
  return reinterpret_cast<const std::uint32_t *>(p.row(y))[x];
}

// Thresholds of one compactness as four words, a vote for each digit.
__device__ uint4 gathered(unsigned least) {
  const auto digit = [&](int k) { return __ballot_sync(all_lanes, least >> k & 1); };
  return make_uint4(digit(0), digit(1), digit(2), digit(3));
}

// A warp has 32 pixels of each of its rows, a lane a column. The sums over three rows come from the lane's
// own pixels, those over three columns from its neighbours' by shuffles; the warp's first and last lane have
// a second column, which is no one's. With one compactness for all iterations (`same`) there is one set of
// thresholds, `other`.
template <bool same>
__global__ void __launch_bounds__(lanes *warps)
    thresholds_kernel(Rgba frame, Rgba background, Constants c, float first_reciprocal,
                      float other_reciprocal, uint4 *first, uint4 *other, int words) {
  const int lane = threadIdx.x, word = blockIdx.x, x = lanes * word + lane;
  const int last_x = frame.width - 1, last_y = frame.height - 1;
  const int top = (blockIdx.y * warps + threadIdx.y) * rows_each;
  if (top > last_y) return; // the whole warp
  const int column = min(x, last_x);
  const bool edge = lane == 0 || lane == lanes - 1;
  const int outside = lane == 0 ? max(x - 1, 0) : min(x + 1, last_x);

  std::uint32_t f[rows_each + 2], b[rows_each + 2], edge_f[rows_each + 2], edge_b[rows_each + 2];
#pragma unroll
  for (int i = 0; i < rows_each + 2; i++) { // all loads are on their way before the first is needed
    const int y = min(max(top + i - 1, 0), last_y);
    f[i] = pixel(frame, column, y);
    b[i] = pixel(background, column, y);
    edge_f[i] = edge ? pixel(frame, outside, y) : 0;
    edge_b[i] = edge ? pixel(background, outside, y) : 0;
  }

  Sums own[3], outer[3]; // of three rows, in turns
#pragma unroll
  for (int i = 0; i < rows_each + 2; i++) {
    own[i % 3] = products(f[i], b[i]);
    outer[i % 3] = products(edge_f[i], edge_b[i]);
    const int y = top + i - 2;
    if (i < 2 || y > last_y) continue;
    const Sums here = own[0] + own[1] + own[2], there = outer[0] + outer[1] + outer[2];
    Sums left{__shfl_up_sync(all_lanes, here.fore, 1), __shfl_up_sync(all_lanes, here.back, 1),
              __shfl_up_sync(all_lanes, here.cross, 1)};
    Sums right{__shfl_down_sync(all_lanes, here.fore, 1), __shfl_down_sync(all_lanes, here.back, 1),
               __shfl_down_sync(all_lanes, here.cross, 1)};
    if (lane == 0) left = there;
    if (lane == lanes - 1) right = there;
    const int e = evidence(left + here + right, c.darkness_offset);
    const auto least = [&](int compactness,
                           float reciprocal) { // 15 beyond the picture, which M never reaches
      const unsigned n = least_neighbours(c.static_threshold + 12 * compactness - e, compactness, reciprocal);
      return gathered(x <= last_x ? n : 15u);
    };
    const std::ptrdiff_t at = std::ptrdiff_t(y) * words + word;
    const uint4 others = least(c.compactness, other_reciprocal);
    if (lane == 0) other[at] = others;
    if constexpr (same) continue;
    const uint4 firsts = least(c.temporal_compactness, first_reciprocal);
    if (lane == 1) first[at] = firsts;
  }
}

__global__ void samples_kernel(Rgba frame, Rgba background, SampleGrid grid, std::uint32_t *samples) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= grid.columns * grid.rows) return;
  const int last_x = frame.width - 1, last_y = frame.height - 1;
  const int x = min(grid.step / 2 + i % grid.columns * grid.step, last_x);
  const int y = min(grid.step / 2 + i / grid.columns * grid.step, last_y);
  Sums sums;
  for (int dy = -1; dy <= 1; dy++)
    for (int dx = -1; dx <= 1; dx++) {
      const int u = min(max(x + dx, 0), last_x), v = min(max(y + dy, 0), last_y);
      sums = sums + products(pixel(frame, u, v), pixel(background, u, v));
    }
  samples[i] = std::uint32_t(evidence(sums, 0));
}

} // namespace

void launch_thresholds(Rgba frame, Rgba background, const Constants &c, uint4 *first, uint4 *other,
                       cudaStream_t stream) {
  const int words = words_of(frame.width), each = warps * rows_each;
  const dim3 blocks(words, (frame.height + each - 1) / each), threads(lanes, warps);
  const auto launch = [&](auto kernel) {
    kernel<<<blocks, threads, 0, stream>>>(frame, background, c,
                                           0.5f / float(std::max(c.temporal_compactness, 1)),
                                           0.5f / float(std::max(c.compactness, 1)), first, other, words);
  };
  if (first == other)
    launch(thresholds_kernel<true>);
  else
    launch(thresholds_kernel<false>);
}

void launch_samples(Rgba frame, Rgba background, const SampleGrid &grid, std::uint32_t *samples,
                    cudaStream_t stream) {
  constexpr int threads = 64;
  const int points = grid.columns * grid.rows;
  samples_kernel<<<(points + threads - 1) / threads, threads, 0, stream>>>(frame, background, grid, samples);
}

} // namespace vigil::colinearseg::cuda
