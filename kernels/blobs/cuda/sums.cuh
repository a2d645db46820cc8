// SPDX-License-Identifier: LGPL-2.1-or-later
// What is known of each component, once the trees stand. A warp takes a strip of 32 lines, in which most runs
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
  b.first = ~0u;
  return b;
}

// Every run's parent becomes its root; areas, and the list of roots. Returns the foreground of the strip's
// part to all lanes.
template <int rows>
__device__ inline std::uint32_t find_roots(const Work &w, int strip) {
  const Strip s = strip_at<rows>(w, strip);
  const std::uint32_t part = 0xffu << (8 * (strip % parts)), lower = rows == 2 ? s.bits.bottom : 0;
  const std::uint32_t foreground =
      group_sum(all_lanes, std::uint32_t(__popc(s.bits.top & part) + __popc(lower & part)));
  if (!__any_sync(all_lanes, s.begins != 0)) return foreground;
  std::uint32_t self[most_runs], root[most_runs], area[most_runs], found[most_runs];
  std::uint32_t left = s.begins;
#pragma unroll
  for (int i = 0; i < most_runs; i++) {
    self[i] = root[i] = no_slot;
    area[i] = 0;
    if (!left) continue;
    const Run r = run_at(s.bits.any(), __ffs(int(left)) - 1);
    left &= left - 1;
    self[i] = s.base + std::uint32_t(r.first / 2);
    root[i] = w.parent[self[i]];
    area[i] = std::uint32_t(__popc(s.bits.top & r.bits) + __popc(lower & r.bits));
  }
  std::uint32_t all = 0;
#pragma unroll
  for (int i = 0; i < most_runs; i++) {
    const bool has = self[i] != no_slot;
    if (has) {
      root[i] = root_of(w.parent, root[i]);
      w.parent[self[i]] = root[i];
    }
    found[i] = __ballot_sync(all_lanes, has && root[i] == self[i]);
    all += std::uint32_t(__popc(found[i]));
    if (!__any_sync(all_lanes, has)) continue;
    const unsigned group = __match_any_sync(all_lanes, root[i]);
    const std::uint32_t sum = group_sum(group, area[i]);
    if (has && leads(group)) atomicAdd(w.value + root[i], sum);
  }
  if (all == 0) return foreground;
  std::uint32_t at = 0;
  if (threadIdx.x % lanes == 0) at = atomicAdd(&w.counters->components, all);
  at = __shfl_sync(all_lanes, at, 0);
#pragma unroll
  for (int i = 0; i < most_runs; i++) {
    const unsigned before = found[i] & ((1u << threadIdx.x % lanes) - 1);
    if (self[i] != no_slot && root[i] == self[i]) w.roots[at + std::uint32_t(__popc(before))] = root[i];
    at += std::uint32_t(__popc(found[i]));
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
    w.slots[slot] = b;
  }
}

// Of the numbers of the bits that are set, 0..31: their sum, and that of their squares. x is the sum of 2^j
// over its digits j that are 1, and x^2 the sum of 2^(j+k) over all pairs of these.
__device__ inline std::uint32_t digit(int j) {
  constexpr std::uint32_t numbers_with[] = {0xaaaaaaaau, 0xccccccccu, 0xf0f0f0f0u, 0xff00ff00u, 0xffff0000u};
  return numbers_with[j];
}
__device__ inline std::uint32_t sum_of(std::uint32_t bits) {
  std::uint32_t sum = 0;
#pragma unroll
  for (int j = 0; j < 5; j++) sum += std::uint32_t(__popc(bits & digit(j))) << j;
  return sum;
}
__device__ inline std::uint32_t sum_of_squares(std::uint32_t bits) {
  std::uint32_t sum = 0;
#pragma unroll
  for (int j = 0; j < 5; j++) {
    sum += std::uint32_t(__popc(bits & digit(j))) << 2 * j;
#pragma unroll
    for (int k = 0; k < j; k++) sum += std::uint32_t(__popc(bits & digit(j) & digit(k))) << (j + k + 1);
  }
  return sum;
}

// Cells in which there are some of the pixels x + i, i < 32, of row y for which bit i is set.
__device__ inline void mark(const CellMap &map, int x, int y, std::uint32_t bits) {
  if (!bits) return;
  std::uint8_t *const cells = map.cells + y / map.size * map.columns;
  const int last = x + 31 - __clz(int(bits));
  for (int at = x + __ffs(int(bits)) - 1; at <= last;) {
    const int cell = at / map.size, next = (cell + 1) * map.size;
    const std::uint32_t from = bits & (all_lanes << (at - x));
    if (next - x >= 32 ? from != 0 : (from & ((1u << (next - x)) - 1)) != 0) cells[cell] = 1;
    at = next;
  }
}

// Adds sums over pixels to those of a component, to which others add at the same time; in a block's memory or
// in the device's. Width and height are the inclusive right and bottom.
__device__ inline void add(Blob &to, const Blob &v, bool colours) {
  atomicMin(&to.x, v.x);
  atomicMin(&to.y, v.y);
  atomicMax(&to.width, v.width);
  atomicMax(&to.height, v.height);
  atomicMin(&to.first, v.first);
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

// Sums over the pixels of the reported components in a strip's part; marks of the map. Within the strip they
// are of small numbers: columns and rows count from its corner, and become the picture's in 64 bits.
template <int rows>
__device__ inline void sum_strip(const Work &w, const ConstImage &picture, const CellMap &map, int strip,
                                 Gathered &gathered) {
  const Strip s = strip_at<rows>(w, strip);
  const int lane = int(threadIdx.x % lanes);
  const int x0 = s.word * 32, y = s.line * rows, y0 = (s.line - lane) * rows;
  const auto down = std::uint32_t(lane * rows); // of the line's first row, from the corner
  std::uint32_t left = s.begins;
  while (__any_sync(all_lanes, left != 0)) {
    std::uint32_t slot = no_slot, top = 0, bottom = 0;
    if (left) {
      const Run r = run_at(s.bits.any(), __ffs(int(left)) - 1);
      left &= left - 1;
      slot = w.value[w.parent[s.base + std::uint32_t(r.first / 2)]];
      top = s.bits.top & r.bits;
      if (rows == 2) bottom = s.bits.bottom & r.bits;
    }
    const unsigned group = __match_any_sync(all_lanes, slot);
    if (slot == no_slot) continue; // the whole group; the warp meets again at the loop's head
    const auto in_top = std::uint32_t(__popc(top)), in_bottom = std::uint32_t(__popc(bottom));
    const std::uint32_t x_top = sum_of(top), x_bottom = sum_of(bottom), any = top | bottom;
    const std::uint64_t area = group_sum(group, in_top + in_bottom), x = group_sum(group, x_top + x_bottom),
                        sum_y = group_sum(group, in_top * down + in_bottom * (down + 1));
    const std::uint64_t xx = group_sum(group, sum_of_squares(top) + sum_of_squares(bottom)),
                        xy = group_sum(group, x_top * down + x_bottom * (down + 1)),
                        yy = group_sum(group, in_top * down * down + in_bottom * (down + 1) * (down + 1));
    const int from = group_min(group, __ffs(int(any)) - 1), to = -group_min(group, __clz(int(any)) - 31);
    const int upper = group_min(group, top ? y : y + 1), lower = -group_min(group, bottom ? -y - 1 : -y);
    const int in_row = __ffs(int(top ? top : bottom)) - 1;
    const int first = group_min(group, (top ? y : y + 1) * w.width + x0 + in_row);
    if (map.cells) {
      mark(map, x0, y, top);
      mark(map, x0, y + 1, bottom);
    }
    Colour colour{};
    if (picture.data[0]) {
      if (top) colour = colours_of(picture, x0, y, top);
      if (bottom) {
        const Colour more = colours_of(picture, x0, y + 1, bottom);
        for (int k = 0; k < 3; k++) colour.c[k] += more.c[k];
      }
      for (std::uint32_t &c : colour.c) c = group_sum(group, c);
    }
    if (!leads(group)) continue;
    const auto cx = std::uint64_t(x0), cy = std::uint64_t(y0);
    Blob b{};
    b.x = x0 + from;
    b.width = x0 + to;
    b.y = upper;
    b.height = lower;
    b.first = std::uint32_t(first);
    b.sum_x = x + area * cx;
    b.sum_y = sum_y + area * cy;
    b.sum_xx = xx + 2 * cx * x + area * cx * cx;
    b.sum_xy = xy + cx * sum_y + cy * x + area * cx * cy;
    b.sum_yy = yy + 2 * cy * sum_y + area * cy * cy;
    for (int k = 0; k < 3; k++) b.sum_colour[k] = colour.c[k];
    add(gathered.place_for(w, slot), b, picture.data[0] != nullptr);
  }
}

} // namespace vigil::blobs
