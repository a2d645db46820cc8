// SPDX-License-Identifier: LGPL-2.1-or-later
// Step 7: slots, counters and the map go where the host reads them.
layout(std430, binding = 0) readonly buffer Counters { uint counters[]; };
layout(std430, binding = 1) readonly buffer Slots { uint slots[]; };
layout(std430, binding = 2) writeonly buffer Results { uint results[]; };
layout(std430, binding = 3) readonly buffer Map { uint map[]; };
layout(std430, binding = 4) buffer MapCopy { uint map_copy[]; };

int doublings() {
  uint above = 0u;
  for (int level = 31; level >= 0; level--) {
    uint n = counters[LEVELS + level];
    if (n > most - above) return level + 1;
    above += n;
  }
  return 0;
}

void main() {
  // 128 threads of a group, one after another.
  uint i = gl_WorkGroupID.x * 128u + gl_LocalInvocationIndex, head = results_offset >> 2u;
  if (i == 0u) {
    results[head] = counters[FOREGROUND];
    results[head + 1u] = 0u;
    results[head + 2u] = counters[BETWEEN];
    results[head + 3u] = 0u;
    results[head + 4u] = counters[COMPONENTS];
    results[head + 5u] = counters[BLOBS];
    results[head + 6u] = min_area << uint(doublings());
    results[head + 7u] = 0u;
  }
  if (i < counters[BLOBS]) {
    uint from = i * SLOT, to = head + 8u + from;
    for (uint k = 0u; k < SLOT; k++) {
      uint v = slots[from + k];
      results[to + k] = k == 2u || k == 3u ? v - slots[from + k - 2u] + 1u : v;
    }
  }
  if (has_map_copy != 0 && int(4u * i) < map_cells) {
    uint left = uint(map_cells) - 4u * i, bits = left < 4u ? (1u << (8u * left)) - 1u : 0xffffffffu;
    uint v = WORD(map, map_offset + 4u * i);
    PUT_BITS(map_copy, (map_copy_offset >> 2u) + i, bits, v);
  }
}
