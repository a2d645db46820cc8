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

// The runs of a lane, of which some are one component: takes those of the first component that is left, and
// returns its key (root or slot); no_slot: none is left. `taken` gets their columns.
__device__ inline std::uint32_t take_one(std::uint32_t (&key)[most_runs],
                                         const std::uint32_t (&columns)[most_runs], std::uint32_t &taken) {
  std::uint32_t of = no_slot;
  taken = 0;
#pragma unroll
  for (int i = 0; i < most_runs; i++) {
    if (key[i] == no_slot || (of != no_slot && key[i] != of)) continue;
    of = key[i];
    taken |= columns[i];
    key[i] = no_slot;
  }
  return of;
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
  std::uint32_t self[most_runs], root[most_runs], columns[most_runs];
  each_of_part(s, [&](int i, const Run &r) {
    self[i] = root[i] = r.bits ? s.base + std::uint32_t(r.first / 2) : no_slot;
    columns[i] = r.bits;
  });
  // All walks at the same time: each step waits for memory.
  const volatile std::uint32_t *const parent = w.parent;
  for (bool moved = true; moved;) {
    std::uint32_t up[most_runs];
#pragma unroll
    for (int i = 0; i < most_runs; i++) up[i] = root[i] == no_slot ? no_slot : parent[root[i]];
    moved = false;
#pragma unroll
    for (int i = 0; i < most_runs; i++) {
      moved |= up[i] != root[i];
      root[i] = up[i];
    }
  }
  unsigned found[most_runs];
  std::uint32_t all = 0;
#pragma unroll
  for (int i = 0; i < most_runs; i++) {
    if (self[i] != no_slot) w.parent[self[i]] = root[i];
    found[i] = __ballot_sync(all_lanes, self[i] != no_slot && root[i] == self[i]);
    all += std::uint32_t(__popc(found[i]));
  }
  std::uint32_t at = 0;
  if (all > 0) {
    if (threadIdx.x % lanes == 0) at = atomicAdd(&w.counters->components, all);
    at = __shfl_sync(all_lanes, at, 0);
  }
#pragma unroll
  for (int i = 0; i < most_runs; i++) {
    const unsigned before = found[i] & ((1u << threadIdx.x % lanes) - 1);
    if (self[i] != no_slot && root[i] == self[i]) w.roots[at + std::uint32_t(__popc(before))] = root[i];
    at += std::uint32_t(__popc(found[i]));
  }
  for (;;) {
    std::uint32_t taken = 0;
    const std::uint32_t of = take_one(root, columns, taken);
    if (!__any_sync(all_lanes, of != no_slot)) return foreground;
    const auto area = std::uint32_t(__popc(s.bits.top & taken) + __popc(lower & taken));
    const unsigned group = __match_any_sync(all_lanes, of);
    if (of == no_slot) continue; // the warp meets again at the loop's head
    if (__popc(group) < few) {
      atomicAdd(w.value + of, area);
      continue;
    }
    const std::uint32_t sum = group_sum(group, area);
    if (leads(group)) atomicAdd(w.value + of, sum);
  }
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

// Sums over some pixels of a component. The corner is that of the strip, or of the picture.
struct Sums {
  static constexpr int all = 8;
  std::uint64_t v[all]; // x, y, xx, xy, yy, three colours
};
struct Extent {
  int left, top, right, bottom; // inclusive
  std::uint32_t first;
};

// Adds to a component in the device's memory, to which others add at the same time. Width and height are the
// inclusive right and bottom.
__device__ inline void add(Blob &to, const Extent &e, const Sums &s, bool colours) {
  atomicMin(&to.x, e.left);
  atomicMin(&to.y, e.top);
  atomicMax(&to.width, e.right);
  atomicMax(&to.height, e.bottom);
  atomicMin(&to.first, e.first);
  std::uint64_t *const sums[] = {&to.sum_x,  &to.sum_y,         &to.sum_xx,        &to.sum_xy,
                                 &to.sum_yy, &to.sum_colour[0], &to.sum_colour[1], &to.sum_colour[2]};
#pragma unroll
  for (int i = 0; i < Sums::all; i++)
    if (i < 5 || colours) add64(sums[i], s.v[i]);
}

// The components that a block met first: its warps add up here before they add to the device's memory. All
// others go there at once. Sums are in halves of 32 bits: what a block shares has no addition of 64.
struct Gathered {
  static constexpr int most = 64, tries = 4;
  std::uint32_t slot[most];
  Extent extent[most];
  std::uint32_t low[Sums::all][most], high[Sums::all][most];

  __device__ void begin() {
    if (threadIdx.x < most) {
      slot[threadIdx.x] = no_slot;
      extent[threadIdx.x] = {32767, 32767, -1, -1, ~0u};
      for (int i = 0; i < Sums::all; i++) low[i][threadIdx.x] = high[i][threadIdx.x] = 0;
    }
    __syncthreads();
  }
  __device__ void add_to(const Work &w, std::uint32_t of, const Extent &e, const Sums &s, bool colours) {
    for (std::uint32_t i = of % most, left = tries; left > 0; left--, i = (i + 1) % most) {
      const std::uint32_t there = atomicCAS(slot + i, no_slot, of);
      if (there != no_slot && there != of) continue;
      atomicMin(&extent[i].left, e.left);
      atomicMin(&extent[i].top, e.top);
      atomicMax(&extent[i].right, e.right);
      atomicMax(&extent[i].bottom, e.bottom);
      atomicMin(&extent[i].first, e.first);
#pragma unroll
      for (int k = 0; k < Sums::all; k++) {
        if (k >= 5 && !colours) break;
        const auto v = std::uint32_t(s.v[k]), before = atomicAdd(&low[k][i], v);
        const std::uint32_t above = std::uint32_t(s.v[k] >> 32) + (before + v < v ? 1 : 0);
        if (above) atomicAdd(&high[k][i], above);
      }
      return;
    }
    add(w.slots[of], e, s, colours);
  }
  __device__ void end(const Work &w, bool colours) {
    __syncthreads();
    const auto i = threadIdx.x;
    if (i >= most || slot[i] == no_slot) return;
    Sums s;
#pragma unroll
    for (int k = 0; k < Sums::all; k++) s.v[k] = std::uint64_t(high[k][i]) << 32 | low[k][i];
    add(w.slots[slot[i]], extent[i], s, colours);
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
  if (!__any_sync(all_lanes, s.begins != 0)) return;
  std::uint32_t slots[most_runs], columns[most_runs];
  each_of_part(s, [&](int i, const Run &r) {
    slots[i] = r.bits ? w.parent[s.base + std::uint32_t(r.first / 2)] : no_slot;
    columns[i] = r.bits;
  });
#pragma unroll
  for (int i = 0; i < most_runs; i++)
    if (slots[i] != no_slot) slots[i] = w.value[slots[i]];
  for (;;) {
    std::uint32_t taken = 0;
    const std::uint32_t slot = take_one(slots, columns, taken);
    if (!__any_sync(all_lanes, slot != no_slot)) return;
    const unsigned group = __match_any_sync(all_lanes, slot);
    if (slot == no_slot) continue; // the whole group; the warp meets again at the loop's head
    const std::uint32_t top = s.bits.top & taken, bottom = rows == 2 ? s.bits.bottom & taken : 0;
    const auto in_top = std::uint32_t(__popc(top)), in_bottom = std::uint32_t(__popc(bottom));
    const std::uint32_t x_top = sum_of(top), x_bottom = sum_of(bottom), any = top | bottom;
    std::uint32_t area = in_top + in_bottom, x = x_top + x_bottom,
                  sum_y = in_top * down + in_bottom * (down + 1),
                  xx = sum_of_squares(top) + sum_of_squares(bottom),
                  xy = x_top * down + x_bottom * (down + 1),
                  yy = in_top * down * down + in_bottom * (down + 1) * (down + 1);
    const int in_row = __ffs(int(top ? top : bottom)) - 1;
    int from = __ffs(int(any)) - 1, to = 31 - __clz(int(any)), upper = top ? y : y + 1,
        lower = bottom ? y + 1 : y, first = upper * w.width + x0 + in_row;
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
    }
    if (__popc(group) >= few) {
      for (std::uint32_t *v : {&area, &x, &sum_y, &xx, &xy, &yy}) *v = group_sum(group, *v);
      from = group_min(group, from);
      to = -group_min(group, -to);
      upper = group_min(group, upper);
      lower = -group_min(group, -lower);
      first = group_min(group, first);
      if (picture.data[0])
        for (std::uint32_t &c : colour.c) c = group_sum(group, c);
      if (!leads(group)) continue;
    }
    const auto n = std::uint64_t(area), cx = std::uint64_t(x0), cy = std::uint64_t(y0);
    gathered.add_to(
        w, slot, {x0 + from, upper, x0 + to, lower, std::uint32_t(first)},
        {{x + n * cx, sum_y + n * cy, xx + 2 * cx * x + n * cx * cx, xy + cx * sum_y + cy * x + n * cx * cy,
          yy + 2 * cy * sum_y + n * cy * cy, colour.c[0], colour.c[1], colour.c[2]}},
        picture.data[0] != nullptr);
  }
}

} // namespace vigil::blobs
