// SPDX-License-Identifier: LGPL-2.1-or-later
// What is known of each component, once the trees stand. A warp takes a strip of 32 rows, in which most runs
// are of one component: lanes with the same one add up before one of them goes to memory, and so do the warps
// of a block.
#pragma once

#include "kernels/blobs/cuda/colours.cuh"
#include "kernels/blobs/cuda/runs.cuh"

namespace vigil::blobs {

__device__ inline void add64(std::uint64_t *to, std::uint64_t v) {
  static_assert(sizeof(unsigned long long) == sizeof *to);
  atomicAdd(reinterpret_cast<unsigned long long *>(to), static_cast<unsigned long long>(v));
}

// To which pixels can be added: width and height are the inclusive right and bottom until the end.
__device__ inline Blob no_pixels() {
  Blob b{};
  b.x = b.y = 32767;
  b.width = b.height = -1;
  return b;
}

// Every run's parent becomes its root; areas, and the list of roots. Returns the strip's foreground to all
// lanes.
__device__ inline std::uint32_t find_roots(const Work &w, int strip) {
  const Strip s = strip_at(w, strip);
  std::uint32_t left = s.bits;
  const std::uint32_t foreground = group_sum(all_lanes, std::uint32_t(__popc(left)));
  if (foreground == 0) return 0;
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
  return foreground;
}

// Of all components: how many have which level of area. `count`: of a block, all 0 before.
__device__ inline void count_levels(const Work &w, std::uint32_t min_area, int first, int stride,
                                    std::uint32_t (&count)[levels]) {
  const std::uint32_t all = w.counters->components;
  for (std::uint32_t i = std::uint32_t(first); i < all; i += std::uint32_t(stride))
    if (const int level = level_of(w.value[w.roots[i]], min_area); level >= 0) atomicAdd(count + level, 1u);
  __syncthreads();
  if (threadIdx.x < levels && count[threadIdx.x] > 0)
    atomicAdd(w.counters->level + threadIdx.x, count[threadIdx.x]);
}

// Slots for the components that are reported.
__device__ inline void give_slots(const Work &w, std::uint32_t least, int first, int stride) {
  const std::uint32_t all = w.counters->components;
  for (std::uint32_t i = std::uint32_t(first); i < all; i += std::uint32_t(stride)) {
    const std::uint32_t root = w.roots[i], area = w.value[root];
    if (area < least) {
      w.value[root] = no_slot;
      continue;
    }
    const std::uint32_t slot = atomicAdd(&w.counters->slots, 1u);
    w.value[root] = slot;
    Blob b = no_pixels();
    b.area = area;
    b.first = first_pixel(w, root);
    w.slots[slot] = b;
  }
}

// 0 + 1 + .. + (n-1), and of the squares, for n <= 32.
__device__ inline std::uint32_t sum_to(std::uint32_t n) {
  return n * (n - 1) / 2;
}
__device__ inline std::uint32_t squares_to(std::uint32_t n) {
  return n == 0 ? 0 : (n - 1) * n * (2 * n - 1) / 6;
}

__device__ inline void mark(const CellMap &map, int x0, int x1, int y) {
  std::uint8_t *const cells = map.cells + y / map.size * map.columns;
  for (int i = x0 / map.size; i <= x1 / map.size; i++) cells[i] = 1;
}

// Adds sums over pixels to those of a component, to which others add at the same time; in a block's memory or
// in the device's. Width and height are the inclusive right and bottom.
__device__ inline void add(Blob &to, const Blob &v, bool colours) {
  atomicMin(&to.x, v.x);
  atomicMin(&to.y, v.y);
  atomicMax(&to.width, v.width);
  atomicMax(&to.height, v.height);
  add64(&to.sum_x, v.sum_x);
  add64(&to.sum_y, v.sum_y);
  add64(&to.sum_xx, v.sum_xx);
  add64(&to.sum_xy, v.sum_xy);
  add64(&to.sum_yy, v.sum_yy);
  if (colours)
    for (int k = 0; k < 3; k++) add64(to.sum_colour + k, v.sum_colour[k]);
}

// The components that a block met first: its warps add up here before they add to the device's memory. All
// others go there at once.
struct Gathered {
  static constexpr int most = 8;
  std::uint32_t slot[most];
  Blob sums[most];

  __device__ void begin() {
    if (threadIdx.x < most) {
      slot[threadIdx.x] = no_slot;
      sums[threadIdx.x] = no_pixels();
    }
    __syncthreads();
  }
  __device__ Blob &place_for(const Work &w, std::uint32_t of) {
    const std::uint32_t i = of % most, there = atomicCAS(slot + i, no_slot, of);
    return there == no_slot || there == of ? sums[i] : w.slots[of];
  }
  __device__ void end(const Work &w, bool colours) {
    __syncthreads();
    if (threadIdx.x < most && slot[threadIdx.x] != no_slot)
      add(w.slots[slot[threadIdx.x]], sums[threadIdx.x], colours);
  }
};

// Sums over the pixels of the reported components in a strip; marks of the map. Within the strip they are of
// small numbers: columns and rows count from its corner, and become the picture's in 64 bits.
__device__ inline void sum_strip(const Work &w, const ConstImage &picture, const CellMap &map, int strip,
                                 Gathered &gathered) {
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
    Colour colour{};
    if (picture.data[0]) {
      colour = colours_of(picture, x0, s.row, r.bits);
      for (std::uint32_t &c : colour.c) c = group_sum(group, c);
    }
    if (!leads(group)) continue;
    const auto cx = std::uint64_t(x0), cy = std::uint64_t(y0);
    Blob b{};
    b.x = x0 + from;
    b.width = x0 + to - 1;
    b.y = y0 + __ffs(int(group)) - 1;
    b.height = y0 + 31 - __clz(int(group));
    b.sum_x = x + area * cx;
    b.sum_y = y + area * cy;
    b.sum_xx = xx + 2 * cx * x + area * cx * cx;
    b.sum_xy = xy + cx * y + cy * x + area * cx * cy;
    b.sum_yy = yy + 2 * cy * y + area * cy * cy;
    for (int k = 0; k < 3; k++) b.sum_colour[k] = colour.c[k];
    add(gathered.place_for(w, slot), b, picture.data[0] != nullptr);
  }
}

__device__ inline void draw_label(const Work &w, Plane<std::int32_t> out, int x, int y) {
  const std::uint32_t bits = w.bits[x / 32 * w.height + y];
  std::int32_t label = 0;
  if (bits >> (x % 32) & 1) {
    const auto run = std::uint32_t(y) * w.pitch() + std::uint32_t(x / 32 * 16 + start_of(bits, x % 32) / 2);
    label = std::int32_t(first_pixel(w, w.parent[run])) + 1;
  }
  out.row(y)[x] = label;
}

} // namespace vigil::blobs
