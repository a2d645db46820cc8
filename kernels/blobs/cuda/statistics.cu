// SPDX-License-Identifier: LGPL-2.1-or-later
// What is known of each component, once the trees stand. A warp takes a strip of 32 rows, in which most runs are of one component:
// lanes with the same one add up before one of them goes to memory.
#include "kernels/blobs/cuda/runs.cuh"

#include <algorithm>

namespace vigil::blobs {
namespace {

constexpr int threads = 256, warps = threads / lanes;

__device__ int strip_of_warp() {
  return blockIdx.x * warps + threadIdx.x / lanes;
}
__device__ void add64(std::uint64_t *to, std::uint64_t v) {
  static_assert(sizeof(unsigned long long) == sizeof *to);
  atomicAdd(reinterpret_cast<unsigned long long *>(to), static_cast<unsigned long long>(v));
}

__global__ void roots_kernel(Work w) {
  const int strip = strip_of_warp();
  if (strip >= strips_of(w)) return; // the whole warp
  const Strip s = strip_at(w, strip);
  std::uint32_t left = s.bits;
  const std::uint32_t foreground = group_sum(all_lanes, std::uint32_t(__popc(left)));
  if (foreground == 0) return;
  if (threadIdx.x % lanes == 0) add64(&w.counters->foreground, foreground);
  while (__any_sync(all_lanes, left != 0)) {
    const bool has = left != 0;
    std::uint32_t root = ~0u, area = 0;
    bool is_root = false;
    if (has) {
      const Run r = first_run(left);
      left &= ~r.bits;
      const std::uint32_t self = s.base + std::uint32_t(r.first / 2);
      root = root_of(w.parent, self);
      w.parent[self] = root;
      is_root = root == self;
      area = std::uint32_t(r.end - r.first);
    }
    const unsigned group = __match_any_sync(all_lanes, root);
    area = group_sum(group, area);
    if (has && leads(group)) atomicAdd(w.value + root, area);
    const unsigned found = __ballot_sync(all_lanes, is_root);
    if (found) {
      std::uint32_t at = 0;
      if (leads(found)) at = atomicAdd(&w.counters->components, std::uint32_t(__popc(found)));
      at = __shfl_sync(all_lanes, at, __ffs(int(found)) - 1);
      const unsigned before = found & ((1u << threadIdx.x % lanes) - 1);
      if (is_root) w.roots[at + std::uint32_t(__popc(before))] = root;
    }
  }
}

__global__ void levels_kernel(Work w, std::uint32_t min_area) {
  __shared__ std::uint32_t count[levels];
  if (threadIdx.x < levels) count[threadIdx.x] = 0;
  __syncthreads();
  const std::uint32_t all = w.counters->components;
  for (std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < all; i += gridDim.x * blockDim.x)
    if (const int level = level_of(w.value[w.roots[i]], min_area); level >= 0) atomicAdd(count + level, 1u);
  __syncthreads();
  if (threadIdx.x < levels && count[threadIdx.x] > 0)
    atomicAdd(w.counters->level + threadIdx.x, count[threadIdx.x]);
}

__global__ void slots_kernel(Work w, std::uint32_t min_area) {
  __shared__ std::uint32_t least;
  if (threadIdx.x == 0) least = min_area << doublings(w.counters->level, w.most);
  __syncthreads();
  if (blockIdx.x == 0 && threadIdx.x == 0) w.counters->min_area = least;
  const std::uint32_t all = w.counters->components;
  for (std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < all; i += gridDim.x * blockDim.x) {
    const std::uint32_t root = w.roots[i], area = w.value[root];
    if (area < least) {
      w.value[root] = no_slot;
      continue;
    }
    const std::uint32_t slot = atomicAdd(&w.counters->slots, 1u);
    w.value[root] = slot;
    Blob b{};
    b.x = b.y = 32767;
    b.width = b.height = -1;
    b.area = area;
    b.first = first_pixel(w, root);
    w.slots[slot] = b;
  }
}

// 0 + 1 + .. + (n-1), and of the squares, for n <= 32.
__device__ std::uint32_t sum_to(std::uint32_t n) {
  return n * (n - 1) / 2;
}
__device__ std::uint32_t squares_to(std::uint32_t n) {
  return n == 0 ? 0 : (n - 1) * n * (2 * n - 1) / 6;
}

__device__ void mark(const CellMap &map, int x0, int x1, int y) {
  std::uint8_t *const cells = map.cells + y / map.size * map.columns;
  for (int i = x0 / map.size; i <= x1 / map.size; i++) cells[i] = 1;
}

// Sums within the strip are of small numbers: columns and rows count from its corner, and go to the picture's in 64 bits.
__global__ void sums_kernel(Work w, ConstImage picture, CellMap map) {
  const int strip = strip_of_warp();
  if (strip >= strips_of(w) || w.counters->slots == 0) return; // the whole warp
  const Strip s = strip_at(w, strip);
  const auto lane = std::uint32_t(threadIdx.x % lanes);
  const int x0 = s.word * 32, y0 = s.row - int(lane);
  std::uint32_t left = s.bits;
  while (__any_sync(all_lanes, left != 0)) {
    std::uint32_t slot = no_slot;
    Run r{};
    if (left) {
      r = first_run(left);
      left &= ~r.bits;
      slot = w.value[w.parent[s.base + std::uint32_t(r.first / 2)]];
    }
    const unsigned group = __match_any_sync(all_lanes, slot);
    if (slot == no_slot) continue; // the whole group; the warp meets again at the loop's head
    const auto first = std::uint32_t(r.first), end = std::uint32_t(r.end), n = end - first;
    const std::uint32_t run_x = sum_to(end) - sum_to(first);
    const std::uint64_t area = group_sum(group, n), x = group_sum(group, run_x),
                        y = group_sum(group, n * lane);
    const std::uint64_t xx = group_sum(group, squares_to(end) - squares_to(first)),
                        xy = group_sum(group, run_x * lane), yy = group_sum(group, n * lane * lane);
    const int from = group_min(group, r.first), to = -group_min(group, -r.end);
    if (map.cells) mark(map, x0 + r.first, x0 + r.end - 1, s.row);
    std::uint32_t colour[3] = {};
    if (picture.data[0]) {
      for (int i = r.first; i < r.end; i++) {
        const Colour c = colour_at(picture, x0 + i, s.row);
        for (int k = 0; k < 3; k++) colour[k] += c.c[k];
      }
      for (std::uint32_t &c : colour) c = group_sum(group, c);
    }
    if (!leads(group)) continue;
    Blob &b = w.slots[slot];
    const auto cx = std::uint64_t(x0), cy = std::uint64_t(y0);
    atomicMin(&b.x, x0 + from);
    atomicMax(&b.width, x0 + to - 1);
    atomicMin(&b.y, y0 + __ffs(int(group)) - 1);
    atomicMax(&b.height, y0 + 31 - __clz(int(group)));
    add64(&b.sum_x, x + area * cx);
    add64(&b.sum_y, y + area * cy);
    add64(&b.sum_xx, xx + 2 * cx * x + area * cx * cx);
    add64(&b.sum_xy, xy + cx * y + cy * x + area * cx * cy);
    add64(&b.sum_yy, yy + 2 * cy * y + area * cy * cy);
    if (picture.data[0])
      for (int k = 0; k < 3; k++) add64(b.sum_colour + k, colour[k]);
  }
}

__global__ void results_kernel(Work w, Results::Head *head, Blob *blobs) {
  const Work::Counters &c = *w.counters;
  if (blockIdx.x == 0 && threadIdx.x == 0) *head = {c.foreground, c.components, c.slots, c.min_area, 0};
  for (std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < c.slots; i += gridDim.x * blockDim.x) {
    Blob b = w.slots[i];
    b.width -= b.x - 1;
    b.height -= b.y - 1;
    blobs[i] = b;
  }
}

__global__ void labels_kernel(Work w, Plane<std::int32_t> out) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  if (x >= w.width) return;
  const std::uint32_t bits = w.bits[x / 32 * w.height + y];
  std::int32_t label = 0;
  if (bits >> (x % 32) & 1) {
    const auto run = std::uint32_t(y) * w.pitch() + std::uint32_t(x / 32 * 16 + start_of(bits, x % 32) / 2);
    label = std::int32_t(first_pixel(w, w.parent[run])) + 1;
  }
  out.row(y)[x] = label;
}

int blocks_for_strips(const Work &w) {
  const int strips = w.words * ((w.height + lanes - 1) / lanes);
  return (strips + warps - 1) / warps;
}
// For lists whose length the device knows: enough to keep a large one busy.
constexpr int blocks_for_lists = 128;

} // namespace

void launch_roots(const Work &w, CUstream_st *stream) {
  roots_kernel<<<blocks_for_strips(w), threads, 0, stream>>>(w);
}
void launch_slots(const Work &w, std::uint32_t min_area, CUstream_st *stream) {
  levels_kernel<<<blocks_for_lists, threads, 0, stream>>>(w, min_area);
  slots_kernel<<<blocks_for_lists, threads, 0, stream>>>(w, min_area);
}
void launch_sums(const Work &w, ConstImage picture, CellMap map, CUstream_st *stream) {
  sums_kernel<<<blocks_for_strips(w), threads, 0, stream>>>(w, picture, map);
}
void launch_results(const Work &w, Results::Head *head, Blob *blobs, CUstream_st *stream) {
  const int blocks = int(std::min<std::uint32_t>(16, (w.most + threads - 1) / threads));
  results_kernel<<<blocks, threads, 0, stream>>>(w, head, blobs);
}
void launch_labels(const Work &w, Plane<std::int32_t> labels, CUstream_st *stream) {
  const dim3 blocks(unsigned(w.width + threads - 1) / threads, unsigned(w.height));
  labels_kernel<<<blocks, threads, 0, stream>>>(w, labels);
}

} // namespace vigil::blobs
