// SPDX-License-Identifier: LGPL-2.1-or-later
// Step 6: each segment of a reported component adds what it has to the slot, and marks its cells in the map.
layout(std430, binding = 2) readonly buffer Values { uint values[]; };
layout(std430, binding = 3) buffer Slots { uint slots[]; };
layout(std430, binding = 4) readonly buffer Picture0 { uint picture0[]; };
layout(std430, binding = 5) readonly buffer Picture1 { uint picture1[]; };
layout(std430, binding = 6) readonly buffer Picture2 { uint picture2[]; };
layout(std430, binding = 7) buffer Map { uint map[]; };

// Numbers of 64 bits: (low, high).
uvec2 product(uint a, uint b) {
  uint high, low;
  umulExtended(a, b, high, low);
  return uvec2(low, high);
}
uvec2 sum(uvec2 a, uint b) {
  uint low = a.x + b;
  return uvec2(low, a.y + (low < b ? 1u : 0u));
}
void add(uint at, uvec2 v) {
  uint before = atomicAdd(slots[at], v.x), high = v.y + (before + v.x < before ? 1u : 0u);
  if (high > 0u) atomicAdd(slots[at + 1u], high);
}

uvec3 colour_at(int x, int y) {
  if (format == RGBA || format == BGRA) {
    uint v = WORD(picture0, AT(offset0, stride0, 4 * x, y));
    uvec3 c = uvec3(v & 255u, v >> 8u & 255u, v >> 16u & 255u);
    return format == RGBA ? c : c.zyx;
  }
  uint first = BYTE(picture0, AT(offset0, stride0, x, y));
  if (format == NV12)
    return uvec3(first, BYTE(picture1, AT(offset1, stride1, x >> 1 << 1, y >> 1)),
                 BYTE(picture1, AT(offset1, stride1, x | 1, y >> 1)));
  if (format == I420)
    return uvec3(first, BYTE(picture1, AT(offset1, stride1, x >> 1, y >> 1)),
                 BYTE(picture2, AT(offset2, stride2, x >> 1, y >> 1)));
  return uvec3(first, 0u, 0u);
}

void main() {
  int x0 = int(gl_GlobalInvocationID.x), y = int(gl_GlobalInvocationID.y);
  if (x0 >= width || y >= height || !starts(x0, y)) return;
  uint value = values[parents[number_of(x0, y)]];
  if (value == 0u) return;
  uint at = (value - 1u) * SLOT;
  int x1 = end_of(x0, y);
  uint n = uint(x1 - x0), left = uint(x0), row = uint(y);
  atomicMin(slots[at], left);
  atomicMin(slots[at + 1u], row);
  atomicMax(slots[at + 2u], uint(x1 - 1));
  atomicMax(slots[at + 3u], row);
  // With x = left + i: the sums of i and i^2 over the segment.
  uint i1 = n * (n - 1u) / 2u, i2 = (n - 1u) * n * (2u * n - 1u) / 6u, sum_x = n * left + i1;
  add(at + 6u, uvec2(sum_x, 0u));
  add(at + 8u, product(n, row));
  add(at + 10u, sum(sum(product(n, left * left), 2u * left * i1), i2));
  add(at + 12u, product(row, sum_x));
  add(at + 14u, product(n, row * row));
  if (has_picture != 0) {
    uvec3 colour = uvec3(0u);
    for (int x = x0; x < x1; x++) colour += colour_at(x, y);
    for (uint i = 0u; i < 3u; i++) add(at + 16u + 2u * i, uvec2(colour[i], 0u));
  }
  if (has_map == 0) return;
  for (int i = x0 / map_size; i <= (x1 - 1) / map_size; i++) {
    uint cell = map_offset + uint(y / map_size * map_columns + i);
    atomicOr(map[cell >> 2u], 1u << ((cell & 3u) * 8u));
  }
}
