// SPDX-License-Identifier: LGPL-2.1-or-later
// Step 5: a slot for each component that is reported; a root's value becomes the slot's number + 1, or 0.
layout(std430, binding = 2) buffer Values { uint values[]; };
layout(std430, binding = 3) buffer Counters { uint counters[]; };
layout(std430, binding = 4) writeonly buffer Slots { uint slots[]; };

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
  int x = int(gl_GlobalInvocationID.x), y = int(gl_GlobalInvocationID.y);
  if (x >= width || y >= height || !starts(x, y)) return;
  uint own = number_of(x, y);
  if (parents[own] != own) return;
  uint area = values[own];
  int level = level_of(area);
  if (level < 0 || level < doublings()) {
    values[own] = 0u;
    return;
  }
  uint slot = atomicAdd(counters[BLOBS], 1u), at = slot * SLOT;
  values[own] = slot + 1u;
  slots[at] = 0xffffffffu; // the least column and row, the greatest
  slots[at + 1u] = 0xffffffffu;
  slots[at + 2u] = 0u;
  slots[at + 3u] = 0u;
  slots[at + 4u] = area;
  slots[at + 5u] = own;
  for (uint i = 6u; i < SLOT; i++) slots[at + i] = 0u;
}
