// SPDX-License-Identifier: LGPL-2.1-or-later
// All of a frame's work in one kernel, whose blocks wait for each other between its steps (a cooperative
// launch, so that all of them are on the GPU). Seven kernels did the same in a row: each took longer to begin
// than to work, and where several programs share a GPU, each could wait for their turns.
#include "kernels/blobs/cuda/labels.cuh"
#include "kernels/blobs/cuda/sums.cuh"
#include "kernels/blobs/cuda/tiles.cuh"

#include "common/cuda/device.h"
#include "common/cuda/launch.h"

#include <algorithm>
#include <cooperative_groups.h>

namespace vigil::blobs {
namespace {

constexpr int threads = tile_words * tile_lines * parts, warps = threads / lanes;
constexpr int blocks_a_multiprocessor = 4; // more wait longer for each other than they gain
// That there are registers for: one more, which leaves room for the kernel after this one, where a
// multiprocessor has places for more than 1024 threads.
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ == 750
constexpr int resident_blocks = blocks_a_multiprocessor;
#else
constexpr int resident_blocks = blocks_a_multiprocessor + 1;
#endif

union Shared {
  Tile tile;
  std::uint32_t levels[vigil::blobs::levels];
  Gathered gathered;
  __device__ Shared() {}
};

struct Call {
  Work work;
  Plane<const std::uint8_t> mask;
  std::uint32_t min_area;
  ConstImage picture;
  Plane<std::int32_t> labels;
  CellMap map;
  Results::Head *head;
  Blob *blobs;
};

template <int rows>
__global__ void __launch_bounds__(threads, resident_blocks) find_kernel(Call c) {
  __shared__ __align__(alignof(Shared)) unsigned char memory[sizeof(Shared)];
  Shared &shared = *reinterpret_cast<Shared *>(memory);
  begin_next();
  const auto grid = cooperative_groups::this_grid();
  const Work &w = c.work;
  const int thread = int(blockIdx.x) * threads + int(threadIdx.x), all_threads = int(gridDim.x) * threads;
  const int warp = thread / lanes, all_warps = int(gridDim.x) * warps;

  if (thread == 0) *w.counters = {};
  const int cells = c.map.cells ? c.map.columns * c.map.rows : 0;
  for (int i = thread; i < cells; i += all_threads) c.map.cells[i] = 0;
  std::uint32_t between = 0;
  for (int tile = int(blockIdx.x); tile < tiles_of<rows>(w); tile += int(gridDim.x))
    unite_tile<rows>(w, c.mask, tile, shared.tile, between);
  grid.sync();

  unite_borders<rows>(w);
  grid.sync();

  between = warp_sum(between);
  if (between > 0 && threadIdx.x % lanes == 0) add64(&w.counters->between, between);
  std::uint32_t foreground = 0;
  for (int strip = warp; strip < strips_of<rows>(w); strip += all_warps)
    foreground += find_roots<rows>(w, strip);
  if (foreground > 0 && threadIdx.x % lanes == 0) add64(&w.counters->foreground, foreground);
  grid.sync();

  std::uint32_t least = c.min_area;
  if (w.counters->components > w.most) { // there may be too many
    if (threadIdx.x < levels) shared.levels[threadIdx.x] = 0;
    __syncthreads();
    count_levels(w, c.min_area, thread, all_threads, shared.levels);
    grid.sync();
    least <<= doublings(w.counters->level, w.most);
  }
  give_slots(w, least, thread, all_threads);
  grid.sync();

  const std::uint32_t slots = w.counters->slots;
  if (slots > 0) {
    shared.gathered.begin();
    for (int strip = warp; strip < strips_of<rows>(w); strip += all_warps)
      sum_strip<rows>(w, c.picture, c.map, strip, shared.gathered);
    shared.gathered.end(w, c.picture.data[0] != nullptr);
  }
  if (c.labels.data) {
    for (int strip = warp; strip < strips_of<rows>(w); strip += all_warps) begin_firsts<rows>(w, strip);
    grid.sync();
    for (int strip = warp; strip < strips_of<rows>(w); strip += all_warps) find_firsts<rows>(w, strip);
    grid.sync();
    for (int y = int(blockIdx.x); y < w.height; y += int(gridDim.x))
      for (int x = int(threadIdx.x); x < w.width; x += threads) draw_label<rows>(w, c.labels, x, y);
  }
  grid.sync();

  if (thread == 0)
    *c.head = {w.counters->foreground, w.counters->between, w.counters->components, slots, least, 0};
  for (std::uint32_t i = std::uint32_t(thread); i < slots; i += std::uint32_t(all_threads)) {
    Blob b = w.slots[i];
    b.width -= b.x - 1;
    b.height -= b.y - 1;
    c.blobs[i] = b;
  }
  if (c.map.host)
    for (int i = thread; i < cells; i += all_threads) c.map.host[i] = c.map.cells[i];
}

} // namespace

int blocks_for(const Work &w, int device) {
  int multiprocessors = 0, resident = 0, resident_of_four = 0;
  cuda_check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device),
             "cudaDeviceGetAttribute");
  cuda_check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, find_kernel<2>, threads, 0),
             "the blocks that find blobs");
  cuda_check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident_of_four, find_kernel<1>, threads, 0),
             "the blocks that find blobs");
  return std::min(tiles_of<2>(w),
                  multiprocessors * std::min({resident, resident_of_four, blocks_a_multiprocessor}));
}

void launch_find(const Work &w, int blocks, Plane<const std::uint8_t> mask, const Params &params,
                 const Extras &extras, Results::Head *head, Blob *blobs, CUstream_st *stream) {
  Call call{w, mask, std::max(params.min_area, 1u), extras.picture, extras.labels, extras.map, head, blobs};
  void *arguments[] = {&call};
  const auto kernel = params.neighbours == Neighbours::eight ? find_kernel<2> : find_kernel<1>;
  // CUDA 12 takes no pointer to a function here.
  const auto *const any = reinterpret_cast<const void *>(kernel);
  cuda_check(cudaLaunchCooperativeKernel(any, dim3(unsigned(blocks)), dim3(threads), arguments, 0, stream),
             "finding blobs");
}

} // namespace vigil::blobs
