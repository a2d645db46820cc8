// SPDX-License-Identifier: LGPL-2.1-or-later
// The search on a GPU. One block does it, a thread for each point; all its threads take the same way through
// search.h. Only where the frame is lost many blocks build the coarse pictures, and the last of them that is
// done goes on.
#include "common/cuda/block_sum.h"
#include "common/cuda/launch.h"
#include "kernels/ghost/cuda/luma_of.h"
#include "kernels/registration/cuda/kernels.h"

namespace vigil::registration {
namespace {

constexpr int threads = most_points, warps = threads / 32;
constexpr int around = 9;        // a shift and its neighbours
constexpr int most_window = 128; // shifts that find_coarse() compares at once
static_assert(threads % 32 == 0 && threads <= 1024);

using Sum = BlockSum<warps, around>;

// A point's part in one number: how far it agrees, and in the lowest bits that it is seen.
constexpr int seen_bits = 10;
static_assert(most_points < 1 << seen_bits &&
              (std::uint64_t{share_unit} * most_points + 1) << seen_bits <= std::uint64_t{1} << 32);

class DeviceLook {
 public:
  __device__ DeviceLook(Sum &sum, const EdgePoint &point, const ConstImage &frame, int count)
      : sum_(sum), point_(point), frame_(frame), count_(count),
        reach_(reach_of(max(frame.width, frame.height))), range_(range_of(max(frame.width, frame.height))) {}

  __device__ Peak at(Shift s) const {
    std::uint32_t part[1] = {part_of(s)};
    sum_.up(part);
    return {s, score(part[0])};
  }
  __device__ Peak best_around(const Peak &from, int step) const {
    std::uint32_t part[around];
#pragma unroll
    for (int k = 0; k < around; k++) part[k] = k == around / 2 ? 0 : part_of(neighbour(from.at, k, step));
    sum_.up(part);
    Peak best = from;
#pragma unroll
    for (int k = 0; k < around; k++) {
      const Shift s = neighbour(from.at, k, step);
      if (k == around / 2 || size_of(s.x) > range_ || size_of(s.y) > range_) continue;
      best = higher(best, {s, score(part[k])});
    }
    return best;
  }

 private:
  static __device__ Shift neighbour(Shift s, int k, int step) {
    return {s.x + (k % 3 - 1) * step, s.y + (k / 3 - 1) * step};
  }
  __device__ std::uint32_t part_of(Shift s) const {
    const int across = point_.down ? 0 : reach_, down = point_.down ? reach_ : 0;
    const int x = point_.x + s.x, y = point_.y + s.y;
    if (!point_.is_one() || x < across || x + across >= frame_.width || y < down || y + down >= frame_.height)
      return 0;
    const int f = ghost::luma_of(frame_, x + across, y + down) - ghost::luma_of(frame_, x - across, y - down);
    return static_cast<std::uint32_t>(share_of(f, point_.difference)) << seen_bits | 1u;
  }
  __device__ float score(std::uint32_t all) const {
    return score_of(all >> seen_bits, static_cast<int>(all & ((1u << seen_bits) - 1)), count_);
  }

  Sum &sum_;
  const EdgePoint point_;
  const ConstImage &frame_;
  const int count_, reach_, range_;
};

__device__ void tell(DeviceState *state, const Match &found, AppliedShift *sway, AppliedShift *host_copy) {
  state->last = found.shift;
  const AppliedShift s{state->handover.step(found), found};
  *sway = s;
  if (host_copy) *host_copy = s;
}

__global__ void __launch_bounds__(threads, 1)
    near_kernel(const __grid_constant__ ConstImage frame, bool fresh, DeviceState *state, AppliedShift *sway,
                AppliedShift *host_copy) {
  __shared__ Sum::Shared shared;
  Sum sum(shared);
  wait_for_earlier();
  begin_next();
  const EdgePoint point = state->points[threadIdx.x];
  const Shift last = fresh ? Shift{} : state->last;
  const int count = __syncthreads_count(point.is_one());
  Near near;
  if (count >= least_points) near = search_near(DeviceLook(sum, point, frame, count), last);
  if (threadIdx.x != 0) return;
  if (fresh) state->handover = {};
  state->count = count;
  state->arrived = 0;
  state->near = near;
  if (!near.lost) tell(state, found_by(near, count), sway, host_copy);
}

// Where a level begins in a pyramid.
__device__ int first_of(const CoarseGrid &g, int level) {
  return (level > 0 ? g.cells(0) : 0) + (level > 1 ? g.cells(1) : 0);
}

struct DeviceCompare {
  Sum &sum;
  float *values; // [most_window], shared
  const DeviceState &state;
  const CoarseGrid &grid;

  __device__ int agreement_at(int level, const Overlap &o, Shift s, int i) const {
    const int columns = grid.columns[level], first = first_of(grid, level);
    const int x = o.left + i % o.columns * o.step, y = o.top + i / o.columns * o.step;
    return agreement_of(state.frame.slopes[first + (y + s.y) * columns + x + s.x],
                        state.background.slopes[first + y * columns + x]);
  }
  // By all threads together.
  __device__ float agreement(int level, Shift s, int step) const {
    const Overlap o(grid.columns[level], grid.rows[level], s.x, s.y, step);
    std::uint32_t part[2] = {};
    for (int i = threadIdx.x; i < o.cells(); i += threads)
      if (const int a = agreement_at(level, o, s, i); a >= 0) {
        part[0] += static_cast<std::uint32_t>(a);
        part[1]++;
      }
    sum.up(part);
    return mean_agreement(part[0], static_cast<int>(part[1]));
  }
  // A warp for each shift.
  __device__ CoarsePeak best(int level, const Window &w, int step) const {
    const int across = w.last.x - w.first.x + 1, all = across * (w.last.y - w.first.y + 1);
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const auto shift = [&](int k) { return Shift{w.first.x + k % across, w.first.y + k / across}; };
    for (int k = warp; k < all; k += warps) {
      const Shift s = shift(k);
      const Overlap o(grid.columns[level], grid.rows[level], s.x, s.y, step);
      std::uint32_t part = 0, cells = 0;
      for (int i = lane; i < o.cells(); i += 32)
        if (const int a = agreement_at(level, o, s, i); a >= 0) {
          part += static_cast<std::uint32_t>(a);
          cells++;
        }
      part = warp_sum(part);
      cells = warp_sum(cells);
      if (lane == 0) values[k] = mean_agreement(part, static_cast<int>(cells));
    }
    __syncthreads();
    float most = -1;
    int at = all;
    for (int k = lane; k < all; k += 32)
      if (values[k] > most) {
        most = values[k];
        at = k;
      }
#pragma unroll
    for (int distance = 16; distance > 0; distance /= 2) {
      const float other = __shfl_xor_sync(~0u, most, distance);
      const int its = __shfl_xor_sync(~0u, at, distance);
      if (other > most || (other == most && its < at)) {
        most = other;
        at = its;
      }
    }
    __syncthreads(); // before values are written again
    return {shift(at), most};
  }
};

// The upper levels, from the lowest, and the slopes of all; by one block.
__device__ void finish(DevicePyramid &p, const CoarseGrid &g) {
  for (int level = 1; level < coarse_levels; level++) {
    for (int i = threadIdx.x; i < g.cells(level); i += threads)
      p.means[first_of(g, level) + i] = static_cast<std::int16_t>(
          mean_of_four(p.means + first_of(g, level - 1), g.columns[level - 1], g.columns[level], i));
    __syncthreads();
  }
  for (int level = 0; level < coarse_levels; level++)
    for (int i = threadIdx.x; i < g.cells(level); i += threads)
      p.slopes[first_of(g, level) + i] =
          slope_at(p.means + first_of(g, level), g.columns[level], g.rows[level], i);
}

__global__ void __launch_bounds__(threads, 1)
    far_kernel(const __grid_constant__ ConstImage frame, const __grid_constant__ ConstImage background,
               DeviceState *state, AppliedShift *sway, AppliedShift *host_copy) {
  wait_for_earlier();
  begin_next();
  if (!state->near.lost) return;
  const CoarseGrid grid(frame.width, frame.height);
  const int cells = grid.cells(0);
  for (int i = blockIdx.x * threads + threadIdx.x; i < 2 * cells; i += gridDim.x * threads)
    (i < cells ? state->frame : state->background).means[i % cells] =
        static_cast<std::int16_t>(coarse_mean(i < cells ? frame : background, grid, i % cells));
  __shared__ bool is_last;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) is_last = atomicAdd(&state->arrived, 1u) + 1 == gridDim.x;
  __syncthreads();
  if (!is_last) return;
  __threadfence();
  finish(state->frame, grid);
  finish(state->background, grid);
  __syncthreads();

  __shared__ Sum::Shared shared;
  __shared__ float values[most_window];
  Sum sum(shared);
  const DeviceLook look(sum, state->points[threadIdx.x], frame, state->count);
  Near near = state->near;
  const Shift coarse =
      find_coarse(DeviceCompare{sum, values, *state, grid}, grid, range_of(max(frame.width, frame.height)));
  search_far(look, near, coarse, grid.cell);
  if (threadIdx.x == 0) tell(state, found_by(near, state->count), sway, host_copy);
}

constexpr int far_blocks = 32;

} // namespace

void launch_near(const ConstImage &frame, bool fresh, DeviceState *state, AppliedShift *sway,
                 AppliedShift *host_copy, CUstream_st *stream) {
  launch_early(near_kernel, 1, threads, 0, stream, frame, fresh, state, sway, host_copy);
}

void launch_far(const ConstImage &frame, const ConstImage &background, DeviceState *state, AppliedShift *sway,
                AppliedShift *host_copy, CUstream_st *stream) {
  launch_early(far_kernel, far_blocks, threads, 0, stream, frame, background, state, sway, host_copy);
}

} // namespace vigil::registration
